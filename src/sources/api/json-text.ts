/**
 * Arguments as HandsAI's clients write them, for operations that take them so: a list or an object may come as a text of
 * JSON, since some clients have nothing but texts, and null is said of what is not given.
 */
import { Payload } from "../../protocol/json/payload.ts";
import { withMember, withoutMembers } from "../../protocol/json/text-edit.ts";
import { isFields } from "./arguments.ts";
import type { ApiOperation } from "./operation.ts";

type Meant = (tool: string, args: Payload) => Payload;
type Kinds = ReadonlyMap<string, "array" | "object">;

/** Gives each call's arguments as they were meant, before anybody checks them; undefined where no operation needs it. */
export function jsonTextReader(operations: readonly ApiOperation[]): Meant | undefined {
  const byTool = new Map(operations.filter(({ jsonText }) => jsonText).map((each) => [each.name, kindsOf(each)]));
  if (byTool.size === 0) return undefined;
  return (tool, args) => {
    const kinds = byTool.get(tool);
    return kinds ? read(args, kinds) : args;
  };
}

function kindsOf({ inputSchema }: ApiOperation): Kinds {
  const { properties } = inputSchema;
  const entries = isFields(properties) ? Object.entries(properties) : [];
  const kinds = new Map<string, "array" | "object">();
  for (const [name, property] of entries) {
    const type = isFields(property) ? property["type"] : undefined;
    if (type === "array" || type === "object") kinds.set(name, type);
  }
  return kinds;
}

/** As it was written inside of the text, so that large numbers stay what they are. */
function read(args: Payload, kinds: Kinds): Payload {
  const { value } = args;
  if (!isFields(value)) return args;
  let text = Object.values(value).includes(null)
    ? withoutMembers(args.text, (name) => value[name] === null)
    : args.text;
  for (const [name, kind] of kinds) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof given === "string" && isJsonOf(kind, given)) text = withMember(text, name, given.trim());
  }
  return text === args.text ? args : Payload.ofText(text);
}

function isJsonOf(kind: "array" | "object", text: string): boolean {
  if (!text.trimStart().startsWith(kind === "array" ? "[" : "{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
