/**
 * Finds the `id` of a message that was refused for its size or shape, so that its sender gets the refusal under the id
 * it waits for. Knows only strings and nesting; the text has not been proved to be JSON and is trusted in nothing else.
 */

const PRIMITIVE = /\s*:\s*("(?:[^"\\\p{Cc}]|\\.)*"|-?\d[\d.eE+-]*)/uy;
const COLON = /\s*:/y;
const LONGEST_ID = 1_000;

/** The id's text if the outermost object has exactly one, which is a string or a number, else `null`. */
export function findId(text: string): string {
  let found: string | undefined;
  for (const [key, value] of outerMembers(text)) {
    if (key !== "id") continue;
    // Two readers may take two ids for the one that counts: then it is nobody's.
    if (found !== undefined) return "null";
    found = value ?? "null";
  }
  return found ?? "null";
}

/** The members of the outermost object, as far as the text goes; each with its value if that is a string or a number. */
export function* outerMembers(text: string): Generator<[key: string, value: string | undefined]> {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(text, at);
      if (depth === 1 && isKey(text, end)) yield [text.slice(at + 1, end - 1), primitiveAt(text, end)];
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function isKey(text: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(text);
}

/** A number at the very end of the text may have been cut through: it is none. */
function primitiveAt(text: string, from: number): string | undefined {
  PRIMITIVE.lastIndex = from;
  const found = PRIMITIVE.exec(text)?.[1];
  const isWhole = PRIMITIVE.lastIndex < text.length;
  return found !== undefined && isWhole && found.length <= LONGEST_ID && isJson(found) ? found : undefined;
}

/** Where the string that begins here is over, its closing quote included. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at + 1;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
