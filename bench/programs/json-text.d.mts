export function findMember(text: string, from: number, name: string): number;
export function endOfValue(text: string, at: number): number;
