/**
 * Reads and edits JSON with comments and trailing commas. `jsonc-parser` knows the grammar. Texts for people are ours (they
 * never quote the file: it may hold secrets), and so is the refusal of repeated keys and of absurd nesting. Edits leave the
 * rest of a text as its author wrote it, comments included: the library's own `modify` takes the comment behind a member
 * away with it, or puts it behind another. New lines are indented by two spaces.
 */
import { isDeepStrictEqual } from "node:util";
import {
  findNodeAtLocation,
  type JSONVisitor,
  type Node,
  parseTree,
  printParseErrorCode,
  stripComments,
  visit,
} from "jsonc-parser";
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

type Members = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Sets `text[outer][key]`, adding what is not there yet; a new member comes last. */
export function setMember(text: string, outer: string, key: string, value: unknown): string {
  const whole = parseJsonc(text) as Members;
  return keepIfRight(text, { ...whole, [outer]: { ...whole[outer], [key]: value } }, (root) => {
    const parent = findNodeAtLocation(root, [outer]);
    if (parent === undefined) return insert(text, root, outer, { [key]: value }, 1);
    const present = findNodeAtLocation(parent, [key]);
    if (present === undefined) return insert(text, parent, key, value, 2);
    return text.slice(0, present.offset) + render(value, 2) + text.slice(endOf(present));
  });
}

/** Takes `text[outer][key]` out; it must be there. */
export function removeMember(text: string, outer: string, key: string): string {
  const whole = parseJsonc(text) as Members;
  const { [key]: _removed, ...others } = whole[outer] ?? {};
  return keepIfRight(text, { ...whole, [outer]: others }, (root) => {
    const member = findNodeAtLocation(root, [outer, key])?.parent;
    return member === undefined ? text : cut(text, member);
  });
}

/** An edit that went wrong, and a file that was one line anyway, become plain two-space JSON of what was wanted. */
function keepIfRight(text: string, wanted: unknown, edit: (root: Node) => string): string {
  const plain = `${JSON.stringify(wanted, null, 2)}\n`;
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined || !text.trim().includes("\n")) return plain;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const edited = edit(root).replace(/\r?\n/g, newline);
  try {
    return isDeepStrictEqual(parseJsonc(edited), wanted) ? edited : plain;
  } catch {
    return plain;
  }
}

function insert(text: string, object: Node, key: string, value: unknown, depth: number): string {
  const close = endOf(object) - 1;
  const last = object.children?.at(-1);
  const from = last ? endOf(last) : object.offset + 1;
  const comma = last === undefined || stripComments(text, " ").slice(from, close).includes(",") ? "" : ",";
  const member = `${"  ".repeat(depth)}${JSON.stringify(key)}: ${render(value, depth)}`;
  const before = text.slice(0, from) + comma + text.slice(from, close).trimEnd();
  return `${before}\n${member}\n${"  ".repeat(depth - 1)}${text.slice(close)}`;
}

function cut(text: string, member: Node): string {
  const object = member.parent ?? member;
  const members = object.children ?? [];
  const index = members.indexOf(member);
  const [previous, next] = [members[index - 1], members[index + 1]];
  if (next) return text.slice(0, member.offset) + text.slice(next.offset);
  if (previous) return text.slice(0, endOf(previous)) + text.slice(endOf(member));
  return text.slice(0, object.offset + 1) + text.slice(endOf(object) - 1);
}

/** One past the last character. */
function endOf(node: Node): number {
  return node.offset + node.length;
}

function render(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(depth)}`);
}
