/** What of an API's secrets is shown again: headers that are none, and a placeholder for the others. */
import { isPlainHeader } from "../../security/secret-rules.ts";

/** Stands for a secret in an export. Wherever it comes back, it is not the secret, and it is never sent as one. */
export const PLACEHOLDER = "<YOUR_API_KEY>";

/** Blank texts and placeholders say nothing. */
export function isSaid(text: string | null | undefined): text is string {
  return typeof text === "string" && text.trim() !== "" && !text.includes(PLACEHOLDER);
}

/** The headers that may be shown: a value under any other name may be a secret, whatever it looks like. */
export function plainAmong(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPlainHeader(name)));
}
