/** Where JSON goes wrong. Engines say so in ways of their own, or not at all; a person wants the line. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

const TOKEN = /\s*(?:("(?:[^"\\\n]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:]))/y;

/** Both count from 1. The first place at which something else would have to stand, or the end. */
export function faultIn(text: string): Place {
  const before = text.slice(0, faultAt(text)).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** What may come next; "more" is a comma, or the end of what is open. */
type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "more" | "nothing";

function faultAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) return from + (text.slice(from).length - text.slice(from).trimStart().length);
    const next = step(expected, found[1] !== undefined, found[3], open);
    if (next === undefined) return TOKEN.lastIndex - found[0].trimStart().length;
    expected = next;
  }
}

/** Undefined where this must not stand here. */
function step(
  expected: Expected,
  isText: boolean,
  sign: string | undefined,
  open: ("{" | "[")[],
): Expected | undefined {
  const after = (): Expected => (open.length > 0 ? "more" : "nothing");
  if (sign === "}" || sign === "]") {
    if (!mayEnd(expected, sign, open)) return undefined;
    open.pop();
    return after();
  }
  if (expected === "key" || expected === "keyOrEnd") return isText ? "colon" : undefined;
  if (expected === "colon") return sign === ":" ? "value" : undefined;
  if (expected === "more") return sign === "," ? (open.at(-1) === "{" ? "key" : "value") : undefined;
  if (expected === "nothing") return undefined;
  if (sign === undefined) return after();
  if (sign !== "{" && sign !== "[") return undefined;
  open.push(sign);
  return sign === "{" ? "keyOrEnd" : "valueOrEnd";
}

function mayEnd(expected: Expected, sign: string, open: readonly ("{" | "[")[]): boolean {
  const isPair = open.at(-1) === (sign === "}" ? "{" : "[");
  return isPair && (expected === "more" || expected === (sign === "}" ? "keyOrEnd" : "valueOrEnd"));
}
