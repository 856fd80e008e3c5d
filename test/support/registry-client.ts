/** The plainest client of the registry, and of the doors whose tools it fills. It knows nothing of the hub's code. */
import assert from "node:assert/strict";
import type { Message } from "./line-rpc.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What the JSON says; the assertions say what is expected. */
  readonly body: Message;
}

export class RegistryClient {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers go with every request: a key, a language */
  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.#headers = headers;
  }

  /** The same with a key of `zaguan key create`, or of an agent. */
  withKey(key: string): RegistryClient {
    return new RegistryClient(this.url, { authorization: `Bearer ${key}` });
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...type, ...this.#headers, ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    return this.send("POST", path, body, headers);
  }

  patch(path: string, body: unknown): Promise<Answered> {
    return this.send("PATCH", path, body);
  }

  delete(path: string): Promise<Answered> {
    return this.send("DELETE", path);
  }

  /** Something that must go well. */
  async done(method: string, path: string, body?: unknown): Promise<Message> {
    const { status, text, body: told } = await this.send(method, path, body);
    assert.ok(status >= 200 && status < 300, `${method} ${path}: ${status} ${text}`);
    return told;
  }

  /** Registers a server and finds its tools, which are given back. */
  async found(name: string, baseUrl: string, more: object = {}): Promise<Message[]> {
    await this.done("POST", "/mcp/servers", { name, baseUrl, authType: "none", ...more });
    return (await this.done("POST", `/mcp/servers/${name}/discover`)).tools;
  }

  /** Makes an agent with links to these tools, by id or by `server__tool`. */
  async agent(name: string, ...tools: readonly string[]): Promise<Message> {
    const agent = await this.done("POST", "/agents", { name, systemPrompt: "help", autonomy: "Auto" });
    for (const toolId of tools) await this.done("POST", `/agents/${agent.id}/bindings`, { toolId, enabled: true });
    return agent;
  }

  /** One message of bare JSON-RPC. */
  rpc(path: string, method: string, params: object = {}, id: unknown = "guid-unico"): Promise<Answered> {
    return this.post(path, { jsonrpc: "2.0", id, method, params });
  }

  call(path: string, name: string, args: object): Promise<Answered> {
    return this.rpc(path, "tools/call", { name, arguments: args });
  }

  /** The text that a tool gave, which must not have failed. */
  async textOf(path: string, name: string, args: object): Promise<string> {
    const { status, text, body } = await this.call(path, name, args);
    assert.equal(status, 200, text);
    return textIn(body.result, text);
  }

  /** The names in a list, all its pages. */
  async names(path: string): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { status, text, body } = await this.rpc(path, "tools/list", cursor === undefined ? {} : { cursor });
      assert.equal(status, 200, text);
      names.push(...body.result.tools.map(({ name }: { name: string }) => name));
      cursor = body.result.nextCursor;
    } while (cursor !== undefined);
    return names;
  }
}

/** The text of a result as MCP words it. */
export function textIn(result: Message, context: string = JSON.stringify(result)): string {
  assert.notEqual(result?.isError, true, context);
  assert.equal(result?.content?.[0]?.type, "text", context);
  return result.content[0].text;
}

/** The fields that a problem names. */
export function fieldsIn({ body }: Answered): string[] {
  return (body?.errors ?? []).map(({ field }: { field: string }) => field);
}

function jsonOf(text: string): Message {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
