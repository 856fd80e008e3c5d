/** Codes as text: two hexadecimal digits for a byte, in lower case, a blank between them. Pure. */

/** Blanks, tabs and line ends may stand between bytes, or nothing; undefined if it is anything else, or empty. */
export function parseHex(text: string): Buffer | undefined {
  const parts = text.trim().split(/\s+/);
  return parts.every((part) => /^(?:[0-9a-f]{2})+$/i.test(part)) ? Buffer.from(parts.join(""), "hex") : undefined;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
