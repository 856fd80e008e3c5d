/**
 * Reads JSON with comments and trailing commas. `jsonc-parser` knows the grammar. It leaves three things to us: texts for
 * people (which never quote the file: it may hold secrets), and the refusal of repeated keys and of absurd nesting.
 */
import { type JSONVisitor, type Node, parseTree, printParseErrorCode, visit } from "jsonc-parser";
import { quoteKey } from "./config-error.ts";

/** The first mistake of a text. */
export class JsonMistake extends Error {
  /** Counted from 1, as the column. */
  readonly line: number;
  readonly column: number;

  constructor(problem: string, line: number, column: number) {
    super(problem);
    this.name = "JsonMistake";
    this.line = line;
    this.column = column;
  }
}

const DEPTH_MAX = 64;
const OPTIONS = { allowTrailingComma: true };
const VALUE = "a value is expected";
const KEY = "a key in double quotes is expected";
const BAD_CHARACTER = "this string has a bad escape or a control character";

/** Mistakes inside a string or comment, by the library's names. Any other is told by what could have stood in its place. */
const BROKEN_TOKENS: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: "this comment is not closed",
  UnexpectedEndOfString: "this string is not closed",
  InvalidUnicode: BAD_CHARACTER,
  InvalidEscapeCharacter: BAD_CHARACTER,
  InvalidCharacter: BAD_CHARACTER,
};

/** The value of a text; throws its first JsonMistake. */
export function parseJsonc(text: string): unknown {
  visit(text, checker(text.length), OPTIONS);
  const root = parseTree(text, [], OPTIONS);
  return root && plainValue(root);
}

/** Not the library's `getNodeValue`, to which the key `__proto__` is the prototype. */
function plainValue({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(plainValue);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map(({ children: [key, member] = [] }) => [key?.value, member && plainValue(member)]),
  );
}

/** Throws at the first mistake, so that the library neither goes on nor goes too deep. */
function checker(textLength: number): JSONVisitor {
  /** The keys of each open object; of a list, undefined. */
  const open: (Set<string> | undefined)[] = [];
  let expected = VALUE;

  function fail(problem: string, line: number, character: number): never {
    throw new JsonMistake(problem, line + 1, character + 1);
  }
  function failHere(offset: number, line: number, character: number): never {
    return fail(offset < textLength ? expected : `the text ends too early: ${expected}`, line, character);
  }
  function begin(keys: Set<string> | undefined, line: number, character: number): void {
    if (open.push(keys) > DEPTH_MAX) fail(`nested more than ${DEPTH_MAX} levels deep`, line, character);
    expected = keys ? KEY : VALUE;
  }
  function end(offset: number, _length: number, line: number, character: number): void {
    // The library closes what is open at the end of the text before it says that something is missing.
    if (offset >= textLength) failHere(offset, line, character);
    open.pop();
    afterValue();
  }
  function afterValue(): void {
    if (open.length === 0) expected = "nothing more may follow";
    else expected = `"," or "${open.at(-1) ? "}" : "]"}" is expected`;
  }

  return {
    onObjectBegin: (_offset, _length, line, character) => begin(new Set(), line, character),
    onArrayBegin: (_offset, _length, line, character) => begin(undefined, line, character),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(key, _offset, _length, line, character) {
      const keys = open.at(-1);
      if (keys?.has(key)) fail(`the key ${quoteKey(key)} stands here a second time`, line, character);
      keys?.add(key);
      expected = '":" is expected after the key';
    },
    onSeparator(separator) {
      expected = separator === "," && open.at(-1) ? KEY : VALUE;
    },
    onLiteralValue: afterValue,
    onError(code, offset, _length, line, character) {
      const broken = BROKEN_TOKENS[printParseErrorCode(code)];
      if (broken === undefined) failHere(offset, line, character);
      fail(broken, line, character);
    },
  };
}
