/**
 * Tools as real servers write them. Most are what MCP calls a tool and stay as they are; the others are made one, as far as
 * it can be seen what is meant, since strict clients refuse a whole list for one member that is wrong.
 */
import { isObject } from "../../contract/rules.ts";
import type { ToolDefinition } from "../../core/call.ts";
import { Payload } from "../../protocol/json/payload.ts";

type Fields = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 256;
const NO_ARGUMENTS: Fields = { type: "object" };

/** How seed 001's servers spell what MCP spells otherwise. Of several that mean the same the later one counts. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["Name", "name"],
  ["Title", "title"],
  ["Description", "description"],
  ["Namespace", "scope"],
  ["Scope", "scope"],
  ["InputSchemaJson", "inputSchema"],
  ["inputSchemaJson", "inputSchema"],
  ["InputSchema", "inputSchema"],
  ["OutputSchema", "outputSchema"],
  ["Annotations", "annotations"],
]);

/** Undefined of what has no usable name, or a schema that is none: it cannot be offered. */
export function readTool(written: unknown): ToolDefinition | undefined {
  if (!isObject(written)) return undefined;
  if (isLawful(written)) return written;
  const { name, description, inputSchema, ...rest } = respelled(written);
  const schema = readSchema(inputSchema);
  if (!isName(name) || !schema) return undefined;
  return { name, ...(typeof description === "string" && { description }), inputSchema: schema, ...rest };
}

/** The tools of one answer to `tools/list`, as they are written there; undefined if there is no list in it. */
export function toolsIn(page: unknown): readonly unknown[] | undefined {
  if (!isObject(page)) return undefined;
  const tools = page["tools"] ?? page["Tools"];
  return Array.isArray(tools) ? tools : undefined;
}

/** The same answer for a client: character for character, unless a tool in it is none of MCP. */
export function lawfulPage(page: Payload): Payload {
  const tools = toolsIn(page.value);
  if (!tools || tools.every((tool) => isObject(tool) && isLawful(tool))) return page;
  const { Tools: _, ...rest } = page.value as Fields;
  return Payload.ofValue({ ...rest, tools: tools.flatMap((tool) => readTool(tool) ?? []) });
}

function isLawful(tool: Fields): tool is ToolDefinition {
  const { name, description, inputSchema } = tool;
  const isDescribed = description === undefined || typeof description === "string";
  const isTyped = isObject(inputSchema) && "type" in inputSchema;
  return isName(name) && isDescribed && isTyped && !Object.values(tool).includes(null);
}

/** Null is how some languages write what is not there. */
function respelled(tool: Fields): Fields {
  const said = Object.entries(tool).filter(([, value]) => value !== null);
  const meant = [...SPELLINGS].flatMap(([spelling, name]) => {
    const value = tool[spelling];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...meant, ...said.filter(([key]) => !SPELLINGS.has(key))]);
}

/** A tool that says nothing of its arguments takes what it is given. */
function readSchema(schema: unknown): Fields | undefined {
  const read = typeof schema === "string" ? parsed(schema) : schema;
  if (read === undefined) return NO_ARGUMENTS;
  if (!isObject(read)) return undefined;
  return "type" in read ? read : { ...NO_ARGUMENTS, ...read };
}

/** Null, which is no schema, if it cannot be read. */
function parsed(text: string): unknown {
  try {
    return text.trim() === "" ? undefined : JSON.parse(text);
  } catch {
    return null;
  }
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= LONGEST_NAME;
}
