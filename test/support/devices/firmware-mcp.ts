/**
 * The MCP server in the firmware of a voice box, with its own ways: an id is a number that fits an int, or nothing is
 * said; errors have no code; a page is 8000 bytes of UTF-8; the cursor is the name of the next tool.
 */
import type { Message } from "../line-rpc.ts";
import { isObject, type McpSide, messageOf } from "./mcp-side.ts";
import { type DeviceArguments, type DeviceProperty, type DeviceTool, type Outcome, requiredOf } from "./tools.ts";

const PAGE_BYTES = 8_000;
const INT_MAX = 2 ** 31 - 1;

export class FirmwareMcp implements McpSide {
  tools: readonly DeviceTool[];
  /** What was not answered, as a log would tell. */
  readonly dropped: Message[] = [];
  /** What `initialize` brought, the vision service among it. */
  capabilities: Message;
  readonly #board: string;

  constructor(tools: readonly DeviceTool[], board = "bread-compact-wifi") {
    this.tools = tools;
    this.#board = board;
  }

  async answer(message: Message): Promise<string | undefined> {
    if (message?.method === undefined) return undefined;
    if (typeof message.method === "string" && message.method.startsWith("notifications")) return undefined;
    if (!isServed(message)) {
      this.dropped.push(message);
      return undefined;
    }
    const id = Math.min(Math.trunc(message.id), INT_MAX);
    try {
      return `{"jsonrpc":"2.0","id":${id},"result":${await this.#result(message)}}`;
    } catch (error) {
      return `{"jsonrpc":"2.0","id":${id},"error":{"message":${JSON.stringify(messageOf(error))}}}`;
    }
  }

  #result({ method, params }: Message): string | Promise<string> {
    if (method === "initialize") return this.#initialize(params);
    if (method === "tools/list") return this.#list(params);
    if (method === "tools/call") return this.#call(params);
    throw new Error(`Method not implemented: ${method}`);
  }

  #initialize(params: Message): string {
    this.capabilities = params?.capabilities;
    const serverInfo = { name: this.#board, version: "1.9.2" };
    return JSON.stringify({ protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo });
  }

  #list(params: Message): string {
    const cursor = typeof params?.cursor === "string" ? params.cursor : "";
    const start = cursor === "" ? 0 : this.tools.findIndex(({ name }) => name === cursor);
    let json = '{"tools":[';
    let next = "";
    for (const tool of start < 0 ? [] : this.tools.slice(start)) {
      if (tool.userOnly && params?.withUserTools !== true) continue;
      const described = `${describe(tool)},`;
      if (Buffer.byteLength(json) + Buffer.byteLength(described) + 30 > PAGE_BYTES) {
        next = tool.name;
        break;
      }
      json += described;
    }
    if (json.endsWith("[") && this.tools.length > 0) {
      throw new Error(`Failed to add tool ${next} because of payload size limit`);
    }
    return `${json.replace(/,$/, "")}]${next && `,"nextCursor":${JSON.stringify(next)}`}}`;
  }

  async #call(params: Message): Promise<string> {
    if (!isObject(params)) throw new Error("Missing params");
    const { name, arguments: given } = params;
    if (typeof name !== "string") throw new Error("Missing name");
    if (given !== undefined && !isObject(given)) throw new Error("Invalid arguments");
    const tool = this.tools.find((one) => one.name === name);
    if (!tool) throw new Error(`Unknown tool: ${name}`);
    const outcome = await tool.run(bound(tool, given ?? {}));
    return JSON.stringify({ content: [contentOf(outcome)], isError: false });
  }
}

/** What is malformed gets no answer at all. */
function isServed({ jsonrpc, method, params, id }: Message): boolean {
  const isMessage = jsonrpc === "2.0" && typeof method === "string";
  return isMessage && (params === undefined || isObject(params)) && typeof id === "number";
}

function describe({ name, description, properties, userOnly }: DeviceTool): string {
  const required = requiredOf(properties);
  const inputSchema = { type: "object", properties, ...(required.length > 0 && { required }) };
  return JSON.stringify({ name, description, inputSchema, ...(userOnly && { annotations: { audience: ["user"] } }) });
}

/** A value of the wrong type counts as none. */
function bound({ properties }: DeviceTool, given: DeviceArguments): DeviceArguments {
  const entries = Object.entries(properties).map(([name, property]) => {
    const value = fits(given[name], property) ? given[name] : property.default;
    if (value === undefined) throw new Error(`Missing valid argument: ${name}`);
    checkRange(value, property);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

function fits(value: unknown, { type }: DeviceProperty): boolean {
  return typeof value === (type === "integer" ? "number" : type);
}

function checkRange(value: unknown, { minimum, maximum }: DeviceProperty): void {
  if (typeof value !== "number") return;
  if (minimum !== undefined && value < minimum) throw new Error(`Value is below minimum allowed: ${minimum}`);
  if (maximum !== undefined && value > maximum) throw new Error(`Value exceeds maximum allowed: ${maximum}`);
}

/** A picture is a JSON text inside of a member that no specification knows. */
function contentOf(outcome: Outcome): object {
  if (typeof outcome !== "object") return { type: "text", text: String(outcome) };
  return { type: "image", image: JSON.stringify({ type: "image", ...outcome }) };
}
