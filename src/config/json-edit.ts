/**
 * Small changes to a JSON text that leave the rest of it as its author wrote it, comments included. Knows nothing of
 * what the members mean. New lines are indented by two spaces.
 */
import { isDeepStrictEqual } from "node:util";
import { type JsonNode, readJsonTree } from "./json-tree.ts";
import { blankComments, stripJsonc } from "./jsonc.ts";

/** Sets `text[outer][key]`, adding what is not there yet; a new member comes last. */
export function setMember(text: string, outer: string, key: string, value: unknown): string {
  const whole = JSON.parse(stripJsonc(text));
  const wanted = { ...whole, [outer]: { ...whole[outer], [key]: value } };
  return keepIfRight(text, wanted, (root) => {
    const parent = find(root, outer)?.value;
    if (parent === undefined) return insert(text, root, outer, { [key]: value }, 1);
    const present = find(parent, key)?.value;
    if (present === undefined) return insert(text, parent, key, value, 2);
    return text.slice(0, present.start) + render(value, 2) + text.slice(present.end);
  });
}

/** Takes `text[outer][key]` out; it must be there. */
export function removeMember(text: string, outer: string, key: string): string {
  const whole = JSON.parse(stripJsonc(text));
  const { [key]: _removed, ...others } = whole[outer];
  return keepIfRight(text, { ...whole, [outer]: others }, (root) => {
    const parent = find(root, outer)?.value;
    return parent === undefined ? text : cut(text, parent, key);
  });
}

/** An edit that went wrong, and a file that was one line anyway, become plain two-space JSON of what was wanted. */
function keepIfRight(text: string, wanted: unknown, edit: (root: JsonNode) => string): string {
  const plain = `${JSON.stringify(wanted, null, 2)}\n`;
  if (!text.trim().includes("\n")) return plain;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const edited = edit(readJsonTree(stripJsonc(text))).replace(/\r?\n/g, newline);
  try {
    return isDeepStrictEqual(JSON.parse(stripJsonc(edited)), wanted) ? edited : plain;
  } catch {
    return plain;
  }
}

function insert(text: string, object: JsonNode, key: string, value: unknown, depth: number): string {
  const close = object.end - 1;
  const last = object.members?.at(-1)?.value.end;
  const from = last ?? object.start + 1;
  const comma = last === undefined || blankComments(text).slice(from, close).includes(",") ? "" : ",";
  const member = `${"  ".repeat(depth)}${JSON.stringify(key)}: ${render(value, depth)}`;
  const before = text.slice(0, from) + comma + text.slice(from, close).trimEnd();
  return `${before}\n${member}\n${"  ".repeat(depth - 1)}${text.slice(close)}`;
}

function cut(text: string, object: JsonNode, key: string): string {
  const members = object.members ?? [];
  const index = members.findIndex((member) => member.key === key);
  const [previous, member, next] = [members[index - 1], members[index], members[index + 1]];
  if (member === undefined) return text;
  if (next) return text.slice(0, member.start) + text.slice(next.start);
  if (previous) return text.slice(0, previous.value.end) + text.slice(member.value.end);
  return text.slice(0, object.start + 1) + text.slice(object.end - 1);
}

function find(object: JsonNode, key: string): NonNullable<JsonNode["members"]>[number] | undefined {
  return object.members?.find((member) => member.key === key);
}

function render(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(depth)}`);
}
