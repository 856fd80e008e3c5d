/**
 * Event streams in a process of their own, so that all of them can be ended without a word: by SIGKILL. Told by its parent what
 * to open, it tells how many were let in, and how each of the others was answered.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ACCEPT, CLIENT_INFO, REVISIONS } from "./clients/client.ts";
import { inFlight } from "./rpc-over-http.ts";
import { STATELESS, stateless } from "./stateless-message.ts";

export type StreamKind = "session" | "HTTP+SSE" | "subscriptions/listen";

interface Order {
  readonly url: string;
  readonly kind: StreamKind;
  readonly key: string;
  readonly count: number;
}

export interface Opened {
  readonly open: number;
  /** By status. */
  readonly refused: Readonly<Record<string, number>>;
}

const AT_ONCE = 50;

export class StreamCrowd {
  readonly #child: ChildProcess = fork(fileURLToPath(import.meta.url), ["as-crowd"]);

  async open(order: Order): Promise<Opened> {
    const told = once(this.#child, "message") as Promise<[Opened]>;
    this.#child.send(order);
    return (await told)[0];
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

type Headers = Readonly<Record<string, string>>;
interface Begun {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Resolves at the head of the answer; what follows is read and forgotten. */
function begin(url: string, method: string, headers: Headers, body?: object): Promise<Begun> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(url, { method, agent: false, headers: { ...type, ...headers } }, (response) => {
      response.on("error", () => {}).resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

const WAYS: Readonly<Record<StreamKind, (url: string, headers: Headers) => Promise<Begun>>> = {
  "HTTP+SSE": (url, headers) => begin(`${url}/sse`, "GET", headers),
  "subscriptions/listen": (url, headers) => {
    const method = "subscriptions/listen";
    const body = stateless(1, method, { notifications: { toolsListChanged: true } });
    return begin(`${url}/mcp`, "POST", { ...headers, "mcp-protocol-version": STATELESS, "mcp-method": method }, body);
  },
  session: async (url, headers) => {
    const params = { protocolVersion: REVISIONS["2025"], capabilities: {}, clientInfo: CLIENT_INFO };
    const greeting = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const first = await begin(`${url}/mcp`, "POST", headers, greeting);
    const id = first.headers["mcp-session-id"];
    return id === undefined ? first : begin(`${url}/mcp`, "GET", { ...headers, "mcp-session-id": String(id) });
  },
};

async function openAll({ url, kind, key, count }: Order): Promise<Opened> {
  const headers = { accept: ACCEPT, authorization: `Bearer ${key}` };
  const refused: Record<string, number> = {};
  let open = 0;
  await inFlight(count, AT_ONCE, async () => {
    const { status } = await WAYS[kind](url, headers);
    if (status === 200) open++;
    else refused[status] = (refused[status] ?? 0) + 1;
  });
  return { open, refused };
}

if (process.argv[2] === "as-crowd") {
  process.on("message", async (order: Order) => process.send?.(await openAll(order)));
  process.on("disconnect", () => process.exit());
}
