/** Cuts the text of a JSON object into its members, every character kept. It shares nothing with the code under test. */

export interface Cut {
  readonly key: string;
  /** The value as it was written. */
  readonly text: string;
}

/** In the order in which they stand; throws if the text is no JSON object. */
export function cut(object: string): readonly Cut[] {
  const value: unknown = JSON.parse(object);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("no JSON object");
  const members: Cut[] = [];
  for (let at = past(object, object.indexOf("{") + 1); object[at] !== "}"; ) {
    const keyEnd = endOfString(object, at);
    const start = past(object, object.indexOf(":", keyEnd) + 1);
    const end = endOfValue(object, start);
    members.push({ key: JSON.parse(object.slice(at, keyEnd)) as string, text: object.slice(start, end).trimEnd() });
    at = object[end] === "," ? past(object, end + 1) : end;
  }
  return members;
}

export function memberText(members: readonly Cut[], key: string): string | undefined {
  return members.find((member) => member.key === key)?.text;
}

/** Where the white space from here on ends. */
function past(text: string, at: number): number {
  let end = at;
  while (" \t\r\n".includes(text[end] ?? "-")) end++;
  return end;
}

function endOfString(text: string, opening: number): number {
  let at = opening + 1;
  for (; text[at] !== '"'; at++) if (text[at] === "\\") at++;
  return at + 1;
}

/** Where the comma or the brace behind it stands. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const char = text[at] ?? "";
    if (depth === 0 && (char === "," || char === "}")) return at;
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    at = char === '"' ? endOfString(text, at) : at + 1;
  }
}
