/**
 * PostgreSQL's type `text` cannot hold U+0000. It is escaped with two characters of the private use area, and so is the first of
 * these two where it occurs itself, so that every text comes back unchanged. All texts pass through here on their way in and out,
 * so that comparisons and searches still work.
 */
const ESCAPE = "\u{F8E0}";
const ZERO = "\u{F8E1}";
const NEEDS_ESCAPE = /[\0\u{F8E0}]/u;

export function toWire(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll("\0", ESCAPE + ZERO);
}

export function fromWire(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replace(/\u{F8E0}(.)/gsu, (_, next: string) => (next === ZERO ? "\0" : next));
}
