/** The ways in which a tool of it can be called. */
export const WAYS: readonly string[];
/** JSON that says it in all spellings. */
export function spelled(known: string): string;
/** What it sends for one message; `way` is the tool that was called. */
export function replies(text: string, known: string): { readonly messages: readonly string[]; readonly way?: string };
