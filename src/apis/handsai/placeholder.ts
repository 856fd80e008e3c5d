/** What an export has in the place of a secret. Wherever it stands, it is not the secret, and is never sent as one. */
export const PLACEHOLDER = "<YOUR_API_KEY>";

/** Blank texts and placeholders say nothing. */
export function isSaid(text: string | null | undefined): text is string {
  return typeof text === "string" && text.trim() !== "" && !text.includes(PLACEHOLDER);
}
