/**
 * Small changes to a JSON text that leave the rest of it as its author wrote it, comments included: the library's own
 * `modify` takes the comment behind a member away with it, or puts it behind another. Knows nothing of what the members
 * mean. New lines are indented by two spaces.
 */
import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, type Node, parseTree, stripComments } from "jsonc-parser";
import { parseJsonc } from "./jsonc.ts";

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
