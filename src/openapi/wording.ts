/** What a model is told of an operation: enough to choose by, not the whole manual. */

const LONGEST_TITLE = 100;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_NOTE = 400;

interface Told {
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly deprecated: boolean;
  readonly method: string;
  readonly path: string;
}

export function describeOperation({ summary = "", description = "", deprecated, method, path }: Told): string {
  const [first, rest] = [summary.trim(), description.trim()];
  const parts = rest.startsWith(first) ? [rest] : [first, rest];
  const text = parts.filter((part) => part !== "").join("\n\n") || `${method} ${path}`;
  return cut(deprecated ? `Deprecated. ${text}` : text, LONGEST_DESCRIPTION);
}

export function titleOf(summary: string | undefined): string | undefined {
  const line = summary?.trim().split("\n", 1)[0]?.trim();
  return line ? cut(line, LONGEST_TITLE) : undefined;
}

/** Of one argument, or of a part of a schema. */
export function note(description: unknown): string | undefined {
  const text = typeof description === "string" ? description.trim() : "";
  return text === "" ? undefined : cut(text, LONGEST_NOTE);
}

/** After a sentence if one ends late enough, else after a word; never through a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = text.slice(0, most - 2);
  const sentence = Math.max(room.lastIndexOf(". "), room.lastIndexOf(".\n"), room.lastIndexOf("\n\n"));
  if (sentence > most / 2) return `${room.slice(0, sentence + 1).trimEnd()} …`;
  const word = Math.max(room.lastIndexOf(" "), room.lastIndexOf("\n"));
  return `${(word > most / 2 ? room.slice(0, word) : room.toWellFormed().replace(/\uFFFD$/, "")).trimEnd()} …`;
}
