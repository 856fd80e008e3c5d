/**
 * PostgreSQL's text holds every character but U+0000. That one is written as two characters of the private use area, and so
 * is the first of these where it stands for itself; whatever was written comes back to the letter. All texts pass here on
 * their way in and out, so that equal texts stay equal and a part of a text stays a part of it.
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
