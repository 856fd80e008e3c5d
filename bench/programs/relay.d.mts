export function takeUp(text: string, response: unknown): string | undefined;
export function bringDown(text: string, deliver: (response: unknown, text: string) => void): void;
