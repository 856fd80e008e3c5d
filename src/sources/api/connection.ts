/** An API as a source. There is nothing to connect: each call is a request of its own, over sockets that are kept for the next. */
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { HttpCaller, type HttpReply } from "../../link/http-call.ts";
import { unavailable } from "../../link/http-failures.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import type { StopSignal } from "../../stop.ts";
import type { ConnectContext, Connection, SourceRequest } from "../source.ts";
import { type Arguments, argumentOf, argumentsIn } from "./arguments.ts";
import { authsFor, credentialsOf, secretsOf } from "./auth.ts";
import { AccessToken } from "./oauth.ts";
import type { ApiAuth, ApiOperation, ApiOptions, OAuthClient } from "./operation.ts";
import { Pace, retryAfterMs } from "./pace.ts";
import { Redaction } from "./redact.ts";
import { wrongArgument } from "./refusal.ts";
import { requestOf } from "./request.ts";
import { type Pick, resultOf, type Wanted } from "./result.ts";
import { OFFSET, PICK, toolOf, waysOf } from "./tools.ts";
import type { Ways } from "./window.ts";

/** A caller who gives more time than this has been forgotten by the API. */
const LIMIT_MS = 300_000;
/** Of one answer; more is not read. */
const MOST_BYTES = 16_777_216;

interface OfferedOperation {
  readonly operation: ApiOperation;
  readonly tool: ToolDefinition;
  readonly ways: Ways;
  readonly auths: readonly ApiAuth[];
}

export class ApiConnection implements Connection {
  readonly closed: Promise<string>;
  readonly #options: ApiOptions;
  readonly #name: string;
  readonly #caller: HttpCaller;
  readonly #pace: Pace;
  readonly #pick: Pick | undefined;
  readonly #offered: ReadonlyMap<string, OfferedOperation>;
  readonly #tokens: ReadonlyMap<OAuthClient, AccessToken>;
  readonly #secrets: readonly string[];
  readonly #redaction: Redaction;
  readonly #end: (reason: string) => void;
  #isOpen = true;

  constructor(options: ApiOptions, context: Surroundings, pick: Pick | undefined) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.closed = promise;
    this.#end = resolve;
    this.#options = options;
    this.#name = context.name;
    this.#caller = new HttpCaller({ name: context.name, allowPrivate: options.allowPrivate });
    this.#pace = new Pace(context.clock, options.callsPerMinute);
    this.#pick = pick;
    this.#offered = new Map(options.operations.map((operation) => [operation.name, this.#offer(operation)]));
    const clients = Object.values(options.auths).filter((auth) => auth.type === "oauth2");
    this.#tokens = new Map(clients.map((c) => [c, new AccessToken(c, this.#caller, context.clock, context.name)]));
    this.#secrets = secretsOf(options);
    this.#redaction = new Redaction(this.#secrets);
  }

  async listTools(): Promise<readonly ToolDefinition[]> {
    return [...this.#offered.values()].map(({ tool }) => tool);
  }

  async request(request: SourceRequest): Promise<Payload> {
    if (!this.#isOpen) throw unavailable(this.#name, "closed");
    if (request.signal.aborted) throw toZaguanError(request.signal.reason);
    const { method } = request;
    if (method === "tools/call") return this.#call(request).catch((cause) => Promise.reject(toZaguanError(cause)));
    if (method === "tools/list") return Payload.ofValue({ tools: await this.listTools() });
    if (method === "ping") return EMPTY_OBJECT;
    throw new ZaguanError("UNKNOWN_METHOD", { params: { method }, delivery: "not_sent" });
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#caller.close();
    this.#end("closed");
  }

  #offer(operation: ApiOperation): OfferedOperation {
    const ways = waysOf(operation, this.#pick !== undefined);
    return { operation, ways, tool: toolOf(operation, ways), auths: authsFor(operation, this.#options.auths) };
  }

  async #call({ name, args: payload, signal }: SourceRequest): Promise<Payload> {
    const offered = this.#offered.get(name);
    if (!offered) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
    const args = argumentsIn(payload);
    const wishes = this.#wishes(offered, args);
    const { reply, tokens } = await this.#send(offered, args, signal);
    const redaction = tokens.length === 0 ? this.#redaction : new Redaction([...this.#secrets, ...tokens]);
    return resultOf(reply, { ...wishes, redaction });
  }

  /** A token that is refused may have been taken back: it is tried once with a new one. */
  async #send(offered: OfferedOperation, args: Arguments, signal: StopSignal) {
    const first = await this.#sendOnce(offered, args, signal);
    if (first.reply.status !== 401 || first.byClient.size === 0) return first;
    for (const [client, token] of first.byClient) this.#tokens.get(client)?.refused(token);
    const second = await this.#sendOnce(offered, args, signal);
    return { ...second, tokens: [...first.tokens, ...second.tokens] };
  }

  async #sendOnce({ operation, auths }: OfferedOperation, args: Arguments, signal: StopSignal) {
    const byClient = new Map<OAuthClient, string>();
    // What is wrong with the arguments is found before a token is fetched for them.
    const build = () =>
      requestOf(
        operation,
        args,
        this.#options,
        credentialsOf(auths, (c) => byClient.get(c) ?? ""),
      );
    let request = build();
    for (const auth of auths) {
      if (auth.type === "oauth2") byClient.set(auth, (await this.#tokens.get(auth)?.get(signal)) ?? "");
    }
    if (byClient.size > 0) request = build();
    this.#pace.take();
    const bounds = { follow: true, maxBytes: MOST_BYTES, limitMs: LIMIT_MS, signal };
    const reply = await this.#caller.call({ ...request, ...bounds });
    this.#heed(reply);
    return { reply, byClient, tokens: [...byClient.values()] };
  }

  #heed({ status, headers }: HttpReply): void {
    const wait = status === 429 || status === 503 ? retryAfterMs(headers["retry-after"]) : undefined;
    if (wait !== undefined) this.#pace.beQuietFor(wait);
  }

  /** A path that is none is refused before anything is sent. */
  #wishes({ operation, ways }: OfferedOperation, args: Arguments): Omit<Wanted, "redaction"> {
    const offset = ways.offset ? (argumentOf(args, OFFSET) ?? 0) : 0;
    if (typeof offset !== "number" || !Number.isSafeInteger(offset) || offset < 0) {
      throw wrongArgument(`'${OFFSET}' must be a whole number, 0 or more`);
    }
    const path = ways.pick ? argumentOf(args, PICK) : undefined;
    const pick = path === undefined || path === null ? undefined : this.#picker(path);
    return { method: operation.method, maxChars: this.#options.maxAnswerChars, ways, offset, pick };
  }

  #picker(path: unknown): Wanted["pick"] {
    const pick = this.#pick;
    if (typeof path !== "string" || !pick) throw wrongArgument(`'${PICK}' must be a JSONPath`);
    try {
      pick(path, null);
    } catch {
      throw wrongArgument(`'${PICK}' must be a JSONPath (RFC 9535), as in $.items[*].name`);
    }
    return (value) => {
      try {
        return pick(path, value);
      } catch (cause) {
        const params = { reason: `'${PICK}' could not be applied to the answer` };
        throw new ZaguanError("INVALID_ARGUMENT", { params, delivery: "executed", cause });
      }
    };
  }
}

type Surroundings = { readonly [K in "name" | "clock"]: ConnectContext[K] };
