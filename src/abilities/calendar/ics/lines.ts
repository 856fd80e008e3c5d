/** iCalendar's lines (RFC 5545 §3.1): no longer than 75 octets, the rest on lines that begin with a space. */

interface NumberedLine {
  readonly text: string;
  /** In the file, from 1. */
  readonly number: number;
}

const MOST_OCTETS = 75;

/** Lines as they were before they were folded; empty ones are left out. Every kind of line end is taken. */
export function unfolded(text: string): NumberedLine[] {
  const lines: { text: string; number: number }[] = [];
  const raw = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  for (const [index, line] of raw.entries()) {
    const last = lines.at(-1);
    if (last && (line.startsWith(" ") || line.startsWith("\t"))) last.text += line.slice(1);
    else if (line.trim() !== "") lines.push({ text: line, number: index + 1 });
  }
  return lines;
}

/** With its line end. No character is cut in two. */
export function folded(line: string): string {
  const parts: string[] = [];
  let [part, octets] = ["", 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MOST_OCTETS) {
      parts.push(part);
      // The space in front counts.
      [part, octets] = ["", 1];
    }
    part += character;
    octets += size;
  }
  return `${[...parts, part].join("\r\n ")}\r\n`;
}
