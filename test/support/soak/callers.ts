/**
 * One kind of caller for every door: it comes, calls as often as it is told to, and leaves, in good order or without a word.
 * An answer is handed back as text; whoever loses its connection, or waits in vain, is told so by a rejection.
 */
import { once } from "node:events";
import { WebSocket } from "ws";
import { ACCEPT, CLIENT_INFO, REVISIONS } from "../clients/client.ts";
import { HttpExchange } from "../clients/http-exchange.ts";
import type { LineChild } from "../line-child.ts";
import type { HttpAnswer, RpcOverHttp } from "../rpc-over-http.ts";
import { STATELESS, stateless } from "../stateless-message.ts";
import { type Origin, publicName, type Work } from "./work.ts";

export interface Caller {
  call(work: Work): Promise<string>;
  /** In good order; by `isSilent` it is just gone. */
  leave(isSilent: boolean): Promise<unknown>;
}

export interface Street {
  readonly url: string;
  readonly http: RpcOverHttp;
  /** A hub of its own behind pipes. */
  readonly stdio: LineChild;
  /** The headers with which somebody comes: a key, or none. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface CallerKind {
  readonly door: string;
  /** Where it can call nothing else. */
  readonly only?: Origin;
  open(street: Street): Promise<Caller>;
}

const ANSWER_LIMIT_MS = 100_000;
let ids = 0;

/** Requests whose answers come on another way than they went. */
class Pending {
  readonly #waiting = new Map<number, (text: string | Error) => void>();

  ask(message: (id: number) => object, send: (text: string) => unknown): Promise<string> {
    const id = ++ids;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(() => this.#settle(id, new Error("no answer")), ANSWER_LIMIT_MS);
    this.#waiting.set(id, (said) => {
      clearTimeout(timer);
      if (typeof said === "string") resolve(said);
      else reject(said);
    });
    send(JSON.stringify(message(id)));
    return promise;
  }

  take(text: string): void {
    const { id, method } = JSON.parse(text) as { id?: number; method?: string };
    if (method === undefined && id !== undefined) this.#settle(id, text);
  }

  lose(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, new Error("the connection was lost"));
  }

  #settle(id: number, said: string | Error): void {
    this.#waiting.get(id)?.(said);
    this.#waiting.delete(id);
  }
}

function called(work: Work, name = publicName(work)): (id: number) => object {
  return (id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: work.args } });
}

function greeting(capabilities: object = {}): (id: number) => object {
  const params = { protocolVersion: REVISIONS["2025"], capabilities, clientInfo: CLIENT_INFO };
  return (id) => ({ jsonrpc: "2.0", id, method: "initialize", params });
}

const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const gone = async (): Promise<void> => {};

async function posted(street: Street, path: string, body: object, headers = {}): Promise<HttpAnswer> {
  return street.http.send("POST", path, JSON.stringify(body), { ...street.headers, ...headers });
}

/** For whom each call stands for itself. */
function plain(door: string, path: string, only?: Origin): CallerKind {
  const call = async (street: Street, work: Work): Promise<string> =>
    (await posted(street, path, called(work, only && work.tool)(++ids))).text;
  return { door, ...(only && { only }), open: async (street) => ({ call: (work) => call(street, work), leave: gone }) };
}

interface SessionOptions {
  readonly only?: Origin;
  readonly capabilities?: object;
  /** Whether it hears what is said unasked. */
  readonly listens?: boolean;
}

/** Streamable HTTP with a session, which is ended, or left to its idleness. */
function session(door: string, path: string, { only, capabilities, listens }: SessionOptions = {}): CallerKind {
  const open = async (street: Street): Promise<Caller> => {
    const first = await posted(street, path, greeting(capabilities)(++ids), { accept: ACCEPT });
    const id = String(first.headers["mcp-session-id"]);
    const headers = { accept: ACCEPT, "mcp-session-id": id, "mcp-protocol-version": REVISIONS["2025"] };
    await posted(street, path, INITIALIZED, headers);
    const all = { ...street.headers, ...headers };
    const stream = listens && new HttpExchange({ method: "GET", url: `${street.url}${path}`, headers: all });
    if (stream) await stream.head;
    return {
      call: async (work) => (await posted(street, path, called(work, only && work.tool)(++ids), headers)).text,
      leave: async (isSilent) => {
        if (stream) stream.hangUp();
        if (!isSilent) await street.http.send("DELETE", path, undefined, all);
      },
    };
  };
  return { door, ...(only && { only }), open };
}

const statelessHttp: CallerKind = {
  door: "2026-07-28",
  open: async (street) => ({
    leave: gone,
    call: async (work) => {
      const name = publicName(work);
      const headers = {
        accept: ACCEPT,
        "mcp-protocol-version": STATELESS,
        "mcp-method": "tools/call",
        "mcp-name": name,
      };
      const message = stateless(++ids, "tools/call", { name, arguments: work.args });
      return (await posted(street, "/mcp", message, headers)).text;
    },
  }),
};

/** Either era, on a socket. */
function socket(door: string, path: string, isStateless: boolean): CallerKind {
  const open = async (street: Street): Promise<Caller> => {
    const way = new WebSocket(`${street.url.replace("http", "ws")}${path}`, { headers: street.headers });
    const pending = new Pending();
    const ended = new Promise<void>((resolve) => way.on("close", () => resolve(pending.lose())));
    way.on("message", (data) => pending.take(String(data)));
    await once(way, "open");
    way.on("error", () => {});
    const send = (text: string): void => way.send(text);
    if (!isStateless) await pending.ask(greeting(), send);
    if (!isStateless) send(JSON.stringify(INITIALIZED));
    return {
      call: (work) => pending.ask(isStateless ? modern(work) : called(work), send),
      leave: (isSilent) => {
        if (isSilent) way.terminate();
        else way.close(1000);
        return ended;
      },
    };
  };
  return { door, open };
}

function modern(work: Work): (id: number) => object {
  return (id) => stateless(id, "tools/call", { name: publicName(work), arguments: work.args });
}

const httpSse: CallerKind = {
  door: "HTTP+SSE",
  open: async (street) => {
    const pending = new Pending();
    const endpoint = Promise.withResolvers<string>();
    const stream = new HttpExchange({
      method: "GET",
      url: `${street.url}/sse`,
      headers: { ...street.headers, accept: "text/event-stream" },
      onData: (data, event) => (event === "endpoint" ? endpoint.resolve(data) : pending.take(data)),
    });
    void stream.ended.then(() => pending.lose());
    const path = new URL(await endpoint.promise, street.url);
    const send = (text: string): unknown =>
      street.http.send("POST", path.pathname + path.search, text, street.headers).catch(() => pending.lose());
    await pending.ask(greeting(), send);
    return {
      call: (work) => pending.ask(called(work), send),
      leave: async () => {
        stream.hangUp();
        await stream.ended;
      },
    };
  },
};

const bridge: CallerKind = {
  door: "bridge",
  open: async (street) => {
    const { text } = await posted(street, "/mcp/initialize", {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo: CLIENT_INFO,
    });
    const id = (JSON.parse(text) as { result: { session_id: string } }).result.session_id;
    const headers = { "x-session-id": id };
    return {
      call: async (work) => (await posted(street, "/mcp/tools/call", called(work)(++ids), headers)).text,
      leave: async (isSilent) =>
        isSilent || street.http.send("DELETE", "/mcp/session", undefined, { ...street.headers, ...headers }),
    };
  },
};

const apiTools: CallerKind = {
  door: "/api/tools",
  open: async (street) => ({
    leave: gone,
    call: async (work) => {
      const body = { toolName: publicName(work), parameters: work.args };
      return (await posted(street, "/api/tools/execute", body)).text;
    },
  }),
};

const openapiTools: CallerKind = {
  door: "/openapi/tools",
  open: async (street) => ({
    leave: gone,
    call: async (work) => (await posted(street, `/openapi/tools/${publicName(work)}`, work.args)).text,
  }),
};

/** Looks on while others call. */
const console_: CallerKind = {
  door: "console",
  open: async (street) => {
    const headers = { ...street.headers, accept: "text/event-stream" };
    const stream = new HttpExchange({ method: "GET", url: `${street.url}/events`, headers });
    await stream.head;
    return {
      call: async (work) => (await posted(street, "/mcp", called(work)(++ids))).text,
      leave: async () => {
        stream.hangUp();
        await stream.ended;
      },
    };
  },
};

const stdio: CallerKind = {
  door: "stdio",
  only: "house",
  open: async ({ stdio: child }) => {
    const pending = new Pending();
    child.onMessage((message) => pending.take(JSON.stringify(message)));
    return { call: (work) => pending.ask(called(work), (text) => child.write(`${text}\n`)), leave: gone };
  },
};

/** Of each ten, so many; the rest are sessions. Those of the last list are there once, however many there are. */
export const COMMON: readonly CallerKind[] = [
  session("session", "/mcp"),
  session("session with a stream", "/mcp", { listens: true }),
  socket("WebSocket", "/mcp", false),
  httpSse,
  bridge,
  session("one server", "/servers/ledger/mcp", { only: "ledger" }),
  socket("WebSocket 2026", "/ws", true),
  session("agent", "/agents/ana/mcp", { only: "house" }),
  session("session", "/mcp"),
  bridge,
];

export const RARE: readonly CallerKind[] = [
  plain("bare", "/mcp"),
  plain("bare at /", "/"),
  plain("bare", "/servers/ledger/mcp", "ledger"),
  statelessHttp,
  apiTools,
  openapiTools,
  console_,
  stdio,
  // A client that can be asked has a connection, and so a process, of its own.
  session("one that can be asked", "/servers/ledger/mcp", { only: "ledger", capabilities: { elicitation: {} } }),
];
