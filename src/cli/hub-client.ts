/**
 * A running hub, as the commands use it: bare JSON-RPC and the registry over HTTP. node:http rather than fetch, which
 * refuses some ports and has time limits of its own. Follows no redirects: the key goes where it was meant to go.
 */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { URL } from "node:url";
import { type Client, makeClient } from "../contract/client.ts";
import type { Problem as WholeProblem } from "../contract/problem.ts";
import { TOKEN } from "../contract/rules.ts";
import type { Context } from "./command.ts";
import { CommandFailure, UsageError } from "./failures.ts";
import { findRunningHub, tokenFor } from "./hub-file.ts";
import { HUB_URL, serveOptions, textOption } from "./options.ts";

export interface HubClient {
  /** Without a slash at its end. */
  readonly url: string;
  /** The result of one JSON-RPC request; `params` is JSON text and goes out as it is. */
  rpc(method: string, params: string, timing?: Timing): Promise<unknown>;
  /** The REST API, by the names of its operations. */
  readonly api: Client<Timing>;
  get(path: string, timing?: Timing): Promise<unknown>;
  /** Undefined where there is nothing to answer. */
  send(method: "POST" | "PATCH" | "DELETE", path: string, body?: object, timing?: Timing): Promise<unknown>;
}

interface Question {
  readonly method: string;
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
}

export interface Timing {
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A hub that lists more pages than this is given up. */
const PAGES_MAX = 1_000;
const ANSWER_BYTES_MAX = 268_435_456;
const USUAL_TIMEOUT_MS = 60_000;
const USUAL_URL = "http://127.0.0.1:3003";

/** Where the command line or the environment says, else where DATA/hub.json says, else the usual place. */
export function connectHub(context: Context): HubClient {
  const told = oldUrl(context) ?? textOption(context, "hub");
  const { dataDir } = serveOptions(context);
  const url = checkedUrl(told ?? findRunningHub(dataDir)?.url ?? USUAL_URL, context);
  return hubAt(url, textOption(context, "key") ?? tokenFor(dataDir, url), context.language);
}

export function hubAt(url: string, key: string | undefined, language: string): HubClient {
  const headers = { accept: "application/json", "accept-language": language, ...(key && bearer(key)) };
  const ask = async (question: Question, timing: Timing = {}): Promise<unknown> =>
    readAnswer(url, await exchange(url, question, { ...timing, headers: { ...headers, ...timing.headers } }));
  return {
    url,
    rpc: (method, params, timing) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
      return ask({ method: "POST", path: "/mcp", body }, timing);
    },
    api: makeClient((method, path, body, timing) => ask({ method, path, body: body && JSON.stringify(body) }, timing)),
    get: (path, timing) => ask({ method: "GET", path }, timing),
    send: (method, path, body, timing) => ask({ method, path, body: body && JSON.stringify(body) }, timing),
  };
}

/** `--url`, as `--hub` was called, in the commands that have no other use for it. */
function oldUrl(context: Context): string | undefined {
  return context.command.options.includes(HUB_URL) ? textOption(context, HUB_URL.name) : undefined;
}

/** Without `/mcp` at its end: people paste the address of the MCP door. */
function checkedUrl(text: string, context: Context): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new UsageError("cli.usage.hubUrl", { url: text }, context.command.name);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/mcp$/, "")}`;
}

function bearer(key: string): { authorization: string } {
  if (!TOKEN.test(key)) throw new CommandFailure("cli.hub.badKey");
  return { authorization: `Bearer ${key}` };
}

function exchange(hub: string, { method, path, body }: Question, timing: Timing): Promise<Answer> {
  const { timeoutMs = USUAL_TIMEOUT_MS, headers } = timing;
  const url = new URL(hub + path);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = send(url, {
    agent: false,
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    signal: AbortSignal.timeout(timeoutMs),
  });
  outgoing.on("error", (cause) => reject(unreachable(url.origin, cause, timeoutMs)));
  outgoing.on("response", (incoming) => {
    readBody(incoming, url.origin).then(resolve, (cause) => reject(unreachable(url.origin, cause, timeoutMs)));
  });
  outgoing.end(body);
  return promise;
}

async function readBody(incoming: IncomingMessage, url: string): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Uint8Array).length;
    if (size > ANSWER_BYTES_MAX) throw new CommandFailure("cli.hub.notHub", { url });
    chunks.push(chunk as Uint8Array);
  }
  return { status: incoming.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString("utf8")) };
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(url: string, cause: unknown, timeoutMs: number): Error {
  if (cause instanceof CommandFailure) return cause;
  const { code, name } = cause as NodeJS.ErrnoException;
  if (code === "ABORT_ERR" || name === "AbortError" || name === "TimeoutError") {
    return new CommandFailure("cli.hub.silent", { url, seconds: Math.round(timeoutMs / 1000) }, cause);
  }
  if (code === "ECONNREFUSED") return new CommandFailure("cli.hub.none", { url }, cause);
  return new CommandFailure("cli.hub.unreachable", { url, reason: code ?? String(cause) }, cause);
}

/** JSON-RPC puts the reason into `error.message`, the registry into `detail`. */
function readAnswer(url: string, { status, body }: Answer): unknown {
  if (status === 204) return undefined;
  if (typeof body !== "object" || body === null) throw new CommandFailure("cli.hub.notHub", { url });
  const { error, message, result } = body as Readonly<Record<string, unknown>>;
  const reason = (error as { message?: unknown } | null | undefined)?.message ?? message ?? error;
  if (status === 401) throw new CommandFailure("cli.hub.needsKey", { url });
  if (isProblem(body)) throw new HubRefusal(body);
  if (error !== undefined && error !== null) throw new CommandFailure("cli.hub.said", { text: String(reason) });
  // A hub that is not well (503) has answered the question of how it is.
  if (status >= 400 && !("dependencies" in body))
    throw new CommandFailure("cli.hub.said", { text: `HTTP ${status}: ${String(reason)}` });
  return result === undefined ? body : result;
}

/** What is read of a problem document (RFC 9457). */
type Problem = Pick<WholeProblem, "detail" | "code" | "errors">;

/** A refusal of the REST API, whose words are in the user's language already. */
export class HubRefusal extends CommandFailure {
  /** The row of the hub's error table. */
  readonly code: string;

  constructor(problem: Problem) {
    super("cli.hub.said", { text: textOf(problem) });
    this.name = "HubRefusal";
    this.code = problem.code;
  }
}

function isProblem(body: object): body is Problem {
  return "detail" in body && typeof body.detail === "string" && "code" in body && typeof body.code === "string";
}

export function isNoSuch(cause: unknown): boolean {
  return cause instanceof HubRefusal && cause.code === "NO_SUCH";
}

/** Undefined where the hub has no such thing. */
export async function orUndefined<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((cause) => {
    if (isNoSuch(cause)) return undefined;
    throw cause;
  });
}

/** The detail names the first field that is wrong; the others are told with it. */
function textOf({ detail, errors = [] }: Problem): string {
  const others = errors.slice(1).map(({ field, message }) => `${field}: ${message}`);
  return [detail, ...others].join("; ");
}

export interface HubTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly [field: string]: unknown;
}

export async function listTools(hub: HubClient): Promise<readonly HubTool[]> {
  return (await listAll(hub, "tools")) as readonly HubTool[];
}

/** All pages of one of MCP's lists; the method is `list` behind the kind. */
export async function listAll(hub: HubClient, kind: string, member: string = kind): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? "{}" : JSON.stringify({ cursor });
    const result = (await hub.rpc(`${kind}/list`, params)) as Readonly<Record<string, unknown>>;
    const { [member]: some, nextCursor } = result;
    if (!Array.isArray(some)) break;
    all.push(...some);
    if (nextCursor === undefined || nextCursor === null) return all;
    cursor = nextCursor;
  }
  throw new CommandFailure("cli.hub.notHub", { url: hub.url });
}
