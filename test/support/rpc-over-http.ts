/** The plainest client of the HTTP door: one JSON-RPC message per POST over kept connections. It never tries again. */
import { Agent, request } from "undici";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** From the first byte sent to the last received. */
  readonly ms: number;
}

export interface RpcReply {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean } & Record<
    string,
    unknown
  >;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

export class RpcOverHttp {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, connections = 64) {
    this.#url = url;
    this.#agent = new Agent({ connections, pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 });
  }

  async send(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const started = performance.now();
    const answer = await request(`${this.#url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text, ms: performance.now() - started };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return this.send("GET", path, undefined, headers);
  }

  /** Rejects if the answer is no JSON. */
  async rpc(message: object, headers: Record<string, string> = {}): Promise<HttpAnswer & { reply: RpcReply }> {
    const answer = await this.send("POST", "/mcp", JSON.stringify({ jsonrpc: "2.0", ...message }), headers);
    return { ...answer, reply: JSON.parse(answer.text) as RpcReply };
  }

  /** One call of a tool without a session. */
  call(name: string, args: object = {}, id: unknown = 1): Promise<HttpAnswer & { reply: RpcReply }> {
    return this.rpc({ id, method: "tools/call", params: { name, arguments: args } });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** What a source is, as `GET /mcp/servers` tells it. */
export interface ServerShown {
  readonly name: string;
  readonly state: string;
  readonly tools: number;
  readonly restarts: number;
  readonly lastError: string | null;
}

export async function serverShown(client: RpcOverHttp, name: string): Promise<ServerShown> {
  const servers = JSON.parse((await client.get("/mcp/servers")).text) as readonly ServerShown[];
  const found = servers.find((server) => server.name === name);
  if (!found) throw new Error(`no server named ${name} among ${servers.map((server) => server.name).join(", ")}`);
  return found;
}

/** Does the work for every number below `count`, so many at once. */
export async function inFlight(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}
