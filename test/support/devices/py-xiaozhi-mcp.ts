/**
 * The MCP server in the desktop client, with its own ways: any id but null is echoed; a page is counted in characters of
 * ASCII-escaped JSON; a tool that is larger than a page makes an empty page that points at itself; what a tool or its
 * arguments get wrong is a result with `isError`, everything else is -32603.
 */
import type { Message } from "../line-rpc.ts";
import { isObject, type McpSide, messageOf } from "./mcp-side.ts";
import { pythonJson } from "./python-json.ts";
import { type DeviceArguments, type DeviceProperty, type DeviceTool, requiredOf } from "./tools.ts";

const PAGE_CHARACTERS = 8_000;

export class PyXiaozhiMcp implements McpSide {
  tools: readonly DeviceTool[];
  /** In `MCP_TOOLS.DISABLED`: not listed, and an error when called. */
  readonly disabled: Set<string> = new Set();
  readonly dropped: Message[] = [];
  capabilities: Message;

  constructor(tools: readonly DeviceTool[]) {
    this.tools = tools;
  }

  async answer(message: Message): Promise<string | undefined> {
    const { jsonrpc, method, id } = message ?? {};
    if (method === undefined || String(method).startsWith("notifications")) return undefined;
    if (jsonrpc !== "2.0" || method === "" || id === undefined || id === null) {
      this.dropped.push(message);
      return undefined;
    }
    try {
      return pythonJson({ jsonrpc: "2.0", id, result: await this.#result(message) });
    } catch (error) {
      return pythonJson({ jsonrpc: "2.0", id, error: { code: -32603, message: messageOf(error) } });
    }
  }

  #result({ method, params = {} }: Message): object | Promise<object> {
    if (params === null) throw new Error("'NoneType' object has no attribute 'get'");
    if (method === "initialize") return this.#initialize(params);
    if (method === "tools/list") return this.#list(params);
    if (method === "tools/call") return this.#call(params);
    throw new Error(`Method not implemented: ${method}`);
  }

  #initialize({ capabilities }: Message): object {
    this.capabilities = capabilities;
    const serverInfo = { name: "py-xiaozhi", version: "2.0.0" };
    return { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo };
  }

  #list({ cursor = "" }: Message): object {
    const shown = this.tools.filter(({ name }) => !this.disabled.has(name));
    const start = cursor === "" ? 0 : shown.findIndex(({ name }) => name === cursor);
    const tools: object[] = [];
    let size = 0;
    for (const tool of start < 0 ? [] : shown.slice(start)) {
      const described = describe(tool);
      const length = pythonJson(described).length;
      if (size + length + 100 > PAGE_CHARACTERS) return { tools, nextCursor: tool.name };
      tools.push(described);
      size += length;
    }
    return { tools };
  }

  async #call({ name, arguments: given = {} }: Message): Promise<object> {
    if (!name) throw new Error("Missing tool name");
    const tool = this.tools.find((one) => one.name === name);
    if (!tool) throw new Error(`Unknown tool: ${name}`);
    if (this.disabled.has(name)) throw new Error(`Tool disabled: ${name}`);
    try {
      const outcome = await tool.run(bound(tool, isObject(given) ? given : {}));
      return said(typeof outcome === "object" ? JSON.stringify(outcome) : String(outcome), false);
    } catch (error) {
      return said(messageOf(error), true);
    }
  }
}

function said(text: string, isError: boolean): object {
  return { content: [{ type: "text", text }], isError };
}

function describe({ name, description, properties }: DeviceTool): object {
  return { name, description, inputSchema: { type: "object", properties, required: requiredOf(properties) } };
}

/** Whatever is not a property is dropped. */
function bound({ properties }: DeviceTool, given: DeviceArguments): DeviceArguments {
  const entries = Object.entries(properties).map(([name, property]) => {
    if (given[name] === undefined && property.default === undefined) {
      throw new Error(`Missing required argument: ${name}`);
    }
    return [name, given[name] === undefined ? property.default : checked(name, given[name], property)];
  });
  return Object.fromEntries(entries);
}

function checked(name: string, value: unknown, property: DeviceProperty): unknown {
  if (property.type !== "integer") {
    if (typeof value !== property.type) throw new Error(`Invalid type for property ${name}`);
    return value;
  }
  if (typeof value !== "number" && typeof value !== "boolean") throw new Error(`Invalid type for property ${name}`);
  return inRange(Math.trunc(Number(value)), property);
}

/** Looked at only where both ends are set. */
function inRange(value: number, { minimum, maximum }: DeviceProperty): number {
  if (minimum === undefined || maximum === undefined) return value;
  if (value < minimum) throw new Error(`Value ${value} is below minimum allowed: ${minimum}`);
  if (value > maximum) throw new Error(`Value ${value} exceeds maximum allowed: ${maximum}`);
  return value;
}
