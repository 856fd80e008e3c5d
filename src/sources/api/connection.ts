/** An API as a source. There is nothing to connect: each call is a request of its own, over sockets that are kept for the next. */
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { CLOSED, type Ending } from "../../link/ending.ts";
import { HttpCaller, type HttpReply, isRepeatable } from "../../link/http-call.ts";
import { unavailable } from "../../link/http-failures.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import type { ConnectContext, Connection, SourceRequest } from "../source.ts";
import {
  type Arguments,
  argumentOf,
  argumentsIn,
  jsonTextReader,
  type LoadPicker,
  pickFor,
  Refusal,
  wrongArgument,
} from "./arguments.ts";
import { authsFor, needsToken } from "./auth.ts";
import { CredentialStore, type Tokens } from "./credentials.ts";
import type { ApiAuth, ApiOperation, ApiOptions } from "./operation.ts";
import { Pace, retryAfterMs } from "./pace.ts";
import { requestOf } from "./request.ts";
import { resultOf, type Wanted, type Ways } from "./result.ts";
import { OFFSET, PICK, toolOf, waysOf } from "./tools.ts";

/** A caller who gives more time than this has been forgotten by the API. */
const LIMIT_MS = 300_000;
/** Of one answer; more is not read. */
const MOST_BYTES = 16_777_216;
const NO_TOKENS: Tokens = new Map();

interface OfferedOperation {
  readonly operation: ApiOperation;
  readonly tool: ToolDefinition;
  readonly ways: Ways;
  readonly auths: readonly ApiAuth[];
}

export class ApiConnection implements Connection {
  readonly closed: Promise<Ending>;
  readonly #options: ApiOptions;
  readonly #name: string;
  readonly #caller: HttpCaller;
  readonly #pace: Pace;
  readonly #loadPicker: LoadPicker;
  readonly #offered: ReadonlyMap<string, OfferedOperation>;
  readonly #credentials: CredentialStore;
  readonly #normalizeArguments: ReturnType<typeof jsonTextReader>;
  readonly #end: (ending: Ending) => void;
  #isOpen = true;

  constructor(options: ApiOptions, { name, clock }: Surroundings, loadPicker: LoadPicker) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.closed = promise;
    this.#end = resolve;
    this.#options = options;
    this.#name = name;
    this.#caller = new HttpCaller({
      name,
      allowPrivate: options.allowPrivate,
      privateOrigins: privateOrigins(options),
    });
    this.#pace = new Pace(clock, options.callsPerMinute);
    this.#loadPicker = loadPicker;
    this.#offered = new Map(options.operations.map((operation) => [operation.name, this.#offer(operation)]));
    this.#normalizeArguments = jsonTextReader(options.operations);
    this.#credentials = new CredentialStore(options, this.#caller, clock, name);
  }

  async listTools(): Promise<readonly ToolDefinition[]> {
    return [...this.#offered.values()].map(({ tool }) => tool);
  }

  async request(request: SourceRequest): Promise<Payload> {
    if (!this.#isOpen) throw unavailable(this.#name, "closed");
    if (request.signal.aborted) throw toZaguanError(request.signal.reason);
    const { method, language } = request;
    if (method === "tools/list") return Payload.ofValue({ tools: await this.listTools() });
    if (method === "ping") return EMPTY_OBJECT;
    if (method !== "tools/call") {
      throw new ZaguanError("UNKNOWN_METHOD", { params: { method }, delivery: "not_sent" });
    }
    return this.#call(request).catch((cause) => {
      throw cause instanceof Refusal ? cause.in(language) : toZaguanError(cause);
    });
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#caller.close();
    this.#end(CLOSED);
  }

  #offer(operation: ApiOperation): OfferedOperation {
    const ways = waysOf(operation);
    return { operation, ways, tool: toolOf(operation, ways), auths: authsFor(operation, this.#options) };
  }

  async #call(request: SourceRequest): Promise<Payload> {
    const { name, signal, language } = request;
    const offered = this.#offered.get(name);
    if (!offered) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
    const args = argumentsIn(this.#normalizeArguments?.(name, request.args) ?? request.args);
    const wishes = await this.#wishes(offered, args);
    const { reply, sent } = await this.#send(offered, args, signal);
    return resultOf(reply, { ...wishes, redaction: this.#credentials.redaction(sent), language });
  }

  /** A token that is refused may have ended: it is tried once with a new one, unless that might do something twice. */
  async #send(offered: OfferedOperation, args: Arguments, signal: CancelSignal) {
    const first = await this.#sendOnce(offered, args, signal);
    const hasEnded = first.tokens.size > 0 && this.#credentials.haveEnded(first.tokens, first.reply);
    const mayRepeat = first.reply.status === 401 || isRepeatable(offered.operation.method);
    if (!hasEnded || !mayRepeat) return { reply: first.reply, sent: [first.tokens] };
    const second = await this.#sendOnce(offered, args, signal);
    return { reply: second.reply, sent: [first.tokens, second.tokens] };
  }

  async #sendOnce({ operation, auths }: OfferedOperation, args: Arguments, signal: CancelSignal) {
    const build = (tokens: Tokens) =>
      requestOf(operation, args, this.#options, this.#credentials.credentials(auths, tokens));
    // What is wrong with the arguments is found before a token is fetched for them.
    let request = build(NO_TOKENS);
    const tokens = auths.some(needsToken) ? await this.#credentials.tokensFor(auths, signal) : NO_TOKENS;
    if (tokens.size > 0) request = build(tokens);
    this.#pace.take();
    const bounds = { follow: true, maxBytes: MOST_BYTES, limitMs: LIMIT_MS, signal };
    const reply = await this.#caller.call({ ...request, ...bounds });
    this.#heed(reply);
    return { reply, tokens };
  }

  #heed({ status, headers }: HttpReply): void {
    const wait = status === 429 || status === 503 ? retryAfterMs(headers["retry-after"]) : undefined;
    if (wait !== undefined) this.#pace.beQuietFor(wait);
  }

  /** A path that is none is refused before anything is sent. */
  async #wishes({ operation, ways }: OfferedOperation, args: Arguments): Promise<Wishes> {
    const offset = ways.offset ? (argumentOf(args, OFFSET) ?? 0) : 0;
    if (typeof offset !== "number" || !Number.isSafeInteger(offset) || offset < 0) {
      throw wrongArgument("api.offsetForm");
    }
    const path = (ways.pick ? argumentOf(args, PICK) : undefined) ?? undefined;
    const pick = path === undefined ? undefined : await pickFor(path, this.#loadPicker);
    return { method: operation.method, maxChars: this.#options.maxAnswerChars, ways, offset, pick };
  }
}

type Wishes = Omit<Wanted, "redaction" | "language">;
type Surroundings = { readonly [K in "name" | "clock"]: ConnectContext[K] };

function privateOrigins({ ownPrivate, baseUrl, auths }: ApiOptions): ReadonlySet<string> {
  if (!ownPrivate) return new Set();
  const servers = Object.values(auths).flatMap((auth) =>
    auth.type === "oauth2" ? auth.tokenUrl : auth.type === "tokenRequest" ? auth.url : [],
  );
  return new Set([baseUrl, ...servers].flatMap((url) => URL.parse(url)?.origin ?? []));
}
