/** A raw client of revision 2026-07-28: nothing is kept but the tools, whose schemas say what belongs into headers. */
import {
  CAPABILITIES,
  CLIENT_INFO,
  type DoorClient,
  type Json,
  messagesOf,
  POST_HEADERS,
  resultOf,
  type Schema,
} from "./client.ts";

const REVISION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
  "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
};
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};
/** What a header can carry as it is: printable, without white space around it, and not looking as if it were encoded. */
const PLAIN = /^(?!=\?base64\?)(?:[!-~](?:[ -~]*[!-~])?)?$/;

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
}

export class StatelessClient implements DoorClient {
  readonly #url: string;
  #ids = 0;
  #tools: readonly Tool[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async request(method: string, params: Json = {}): Promise<Json> {
    const id = ++this.#ids;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } });
    const headers = { ...POST_HEADERS, ...this.#headers(method, params) };
    for await (const message of messagesOf(await fetch(this.#url, { method: "POST", headers, body }))) {
      if (message.method === undefined) return this.#seen(method, resultOf(method, message));
    }
    throw new Error(`${method} was not answered`);
  }

  async close(): Promise<void> {}

  #seen(method: string, result: Json): Json {
    if (method === "tools/list") this.#tools = result["tools"] as readonly Tool[];
    return result;
  }

  #headers(method: string, params: Json): Record<string, string> {
    const name = params[NAMED_BY[method] ?? ""];
    return {
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": encoded(name) }),
      ...(method === "tools/call" && this.#paramHeaders(params)),
    };
  }

  #paramHeaders({ name, arguments: args }: Json): Record<string, string> {
    const properties = this.#tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {};
    const entries = Object.entries(properties).flatMap(([property, schema]) => {
      const value = (args as Json | undefined)?.[property];
      const header = schema["x-mcp-header"];
      return header === undefined || value === undefined ? [] : [[`mcp-param-${header}`, encoded(value)]];
    });
    return Object.fromEntries(entries) as Record<string, string>;
  }
}

function encoded(value: unknown): string {
  const text = String(value);
  return PLAIN.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
