/**
 * Tokens: how one is kept and asked for, and HandsAI's dynamic authentication, in which an endpoint gives one for a
 * payload and answers say that it has ended.
 */
import { TOKEN } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import { isAddressRefusal, toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { HttpCaller, HttpReply, HttpRequest } from "../../link/http-call.ts";
import { parseJson } from "../shared/json.ts";
import { orStopped } from "../waiters.ts";
import { isFields, plainText } from "./arguments.ts";
import type { TokenRequest } from "./operation.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A refusal is short; a long answer may well speak of expired tokens without being one. */
const LONGEST_REFUSAL = 16_384;

export async function requestToken(auth: TokenRequest, caller: HttpCaller, source: string): Promise<Token> {
  const payload = payloadOf(auth);
  if (!payload) throw noToken(source, "the payload of its token request is no JSON object");
  const reply = await askForToken(requestFor(auth, payload), caller, source);
  const text = reply.status < 300 ? tokenIn(reply, auth.tokenPath) : undefined;
  if (isToken(text)) return { text, lifeMs: Number.POSITIVE_INFINITY };
  const where = reply.status < 300 && auth.tokenPath !== "" ? ` at '${auth.tokenPath}'` : "";
  throw noToken(source, `its token server gave no token${where} (HTTP ${reply.status})`);
}

/** Whether the answer says that the token, and not the request, was wrong. */
export function saysEnded({ invalidation }: TokenRequest, { status, bytes }: HttpReply): boolean {
  if (status === 401) return true;
  if (bytes.length > LONGEST_REFUSAL || invalidation.length === 0) return false;
  const text = Buffer.from(bytes).toString("utf8").toLowerCase();
  return invalidation.some((keyword) => keyword.trim() !== "" && text.includes(keyword.trim().toLowerCase()));
}

/** Undefined where it is no object; nothing at all is an empty one. */
export function payloadOf({ payload }: Pick<TokenRequest, "payload">): Fields | undefined {
  if (payload.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(payload);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function requestFor(auth: TokenRequest, payload: Fields) {
  const { method, url, payloadIn, payloadType } = auth;
  const headers = { accept: "application/json, */*;q=0.8" };
  const form = new URLSearchParams(
    Object.entries(payload).map(([name, value]): [string, string] => [name, plainText(value)]),
  );
  const isEmpty = Object.keys(payload).length === 0;
  if (isEmpty) return { method, url, headers };
  if (payloadIn === "query") return { method, url: withQuery(url, form.toString()), headers };
  const [contentType, body] =
    payloadType === "form"
      ? ["application/x-www-form-urlencoded", form.toString()]
      : ["application/json", JSON.stringify(payload)];
  return { method, url, headers: { ...headers, "content-type": contentType }, body };
}

function withQuery(url: string, query: string): string {
  const [bare = ""] = url.split("#", 1);
  return `${bare}${bare.includes("?") ? "&" : "?"}${query}`;
}

/** The whole answer where no path is given. A number is a token as well. */
function tokenIn({ bytes }: HttpReply, path: string): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  if (path.trim() === "") return text.trim();
  const names = path
    .trim()
    .replace(/^\$\.?/, "")
    .split(".");
  const found = names.reduce<unknown>(member, parseJson(text));
  return typeof found === "number" ? String(found) : found;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Fields)[name]
    : undefined;
}

/** A token that somebody gives us: fetched once for all that wait, and kept until shortly before its end. */
export interface Token {
  readonly text: string;
  /** Infinity, where nobody said. */
  readonly lifeMs: number;
}

export class KeptToken {
  readonly #fetch: () => Promise<Token>;
  readonly #clock: Clock;
  #current: { readonly text: string; readonly staleAt: number } | undefined;
  #coming: Promise<string> | undefined;

  /** `fetch` rejects with a ZaguanError. */
  constructor(fetch: () => Promise<Token>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** Rejects with a ZaguanError; the call that it was for has not been sent. */
  async get(signal: CancelSignal): Promise<string> {
    const current = this.#current;
    if (current && this.#clock.now() < current.staleAt) return current.text;
    this.#coming ??= this.#renew().finally(() => {
      this.#coming = undefined;
    });
    return orStopped(this.#coming, signal);
  }

  /** It was refused: unless there is another one already, the next who asks gets a new one. */
  refused(text: string): void {
    if (this.#current?.text === text) this.#current = undefined;
  }

  async #renew(): Promise<string> {
    const { text, lifeMs } = await this.#fetch();
    this.#current = { text, staleAt: this.#clock.now() + lifeMs };
    return text;
  }
}

const BOUNDS = { limitMs: 30_000, maxBytes: 1_048_576, follow: false } as const;

/** What a token server says to that. An API whose tokens cannot be had is not there, and has got nothing. */
export async function askForToken(
  request: Pick<HttpRequest, "method" | "url" | "headers" | "body">,
  caller: HttpCaller,
  source: string,
): Promise<HttpReply> {
  try {
    return await caller.call({ ...request, ...BOUNDS });
  } catch (cause) {
    const error = toZaguanError(cause);
    if (isAddressRefusal(error)) throw withDelivery(error, "not_sent");
    throw noToken(source, "its token server does not answer", cause);
  }
}

export function noToken(source: string, reason: string, cause?: unknown): ZaguanError {
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source, reason }, delivery: "not_sent", cause });
}

/** A token is a text that an HTTP header can hold. */
export function isToken(text: unknown): text is string {
  return typeof text === "string" && TOKEN.test(text);
}
