/**
 * Our end of a JSON-RPC conversation with a source: hands out ids of its own, keeps who waits for which answer, and
 * delivers each answer once. It owns no socket and no timer: `send` is given in, incoming text is pushed in. Where the
 * link can tell on whose answer's stream something came, it belongs to that request and to nobody else.
 */
import { answerTooLarge, ERRORS, toZaguanError, withDelivery, ZaguanError } from "../../errors.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";
import type { CutMessage } from "../framing/passed-over.ts";
import { EMPTY_OBJECT, type Payload } from "../json/payload.ts";
import type { ScanLimits } from "../json/scan.ts";
import { readCut } from "./broken-message.ts";
import {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  memberText,
  type RpcAnswer,
  type RpcCall,
  type RpcReject,
  readSourceMessage,
  sentId,
} from "./message.ts";
import { Pending } from "./pending.ts";

/** Resolves when the message is taken; undefined if it was taken at once. */
type Sending = Promise<void> | undefined;

export interface PeerOptions {
  /** For error texts. */
  readonly name: string;
  readonly limits: ScanLimits;
  /** Of our requests. @default 1 */
  readonly firstId?: number | undefined;
  /** The signal ends what belongs to this message alone: an HTTP exchange, not a pipe. Headers are for links that have them. */
  send(message: string, signal?: CancelSignal, headers?: Headers): Sending;
  onNotification(method: string, params: Payload): void;
  /** Answers the other side's requests; without it they are unknown methods. */
  onRequest?: Ask | undefined;
  /** Something that is no answer to anything we asked. */
  onNoise(line: string): void;
  /** Told in a sentence when a message was dropped that may have mattered to somebody. */
  onDropped?(line: string): void;
}

interface RequestOptions {
  readonly signal: CancelSignal;
  readonly onProgress?: ((progress: Payload) => void) | undefined;
  /** For what the source says on the stream of this request's answer. */
  readonly onNotification?: ((method: string, params: Payload) => void) | undefined;
  /** For what the source asks on the stream of this request's answer. */
  readonly onRequest?: Ask | undefined;
  readonly headers?: Headers | undefined;
  /** Its answer may be nested as deep as it likes: who asked looks at each part by itself. */
  readonly isDeep?: boolean | undefined;
  /** False where giving up is not told: of `initialize`, and where the end of the exchange says it. */
  readonly cancellable?: boolean | undefined;
  /** Set where a question on the stream of its answer cannot be answered: then it has failed, and is not waited for. */
  readonly isUnaskable?: boolean | undefined;
}

/** The cause where a source took a request, and its answer was complete, but held none. */
export class NoResult extends Error {}

export type Headers = Readonly<Record<string, string>>;

/** Resolves with the result to send back; the signal says that the source does not want it any more. */
export type Ask = (method: string, params: Payload, signal: CancelSignal) => Promise<Payload>;

/** These are for everybody, on whichever stream they come. */
const FOR_ALL = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;
/** So many requests that were given up are remembered: their late answers are no noise. */
const MAX_GIVEN_UP = 1_000;
/** So many questions of the other side may be open at once: each is kept, and shown to somebody. */
const MAX_ASKED = 64;
/** So many of our answers may be on their way at once; who asks on without taking them gets no more. */
const MAX_REPLYING = 128;

/** A question of the other side that is open; nothing keeps it from using one id twice. */
interface Asked {
  readonly id: string;
  readonly wanted: LightAbort;
}

type Reject = (error: ZaguanError) => void;

/** Makes the text of params from our id, which doubles as the progress token. */
type Params = (id: number) => string;

export class RpcPeer {
  readonly #options: PeerOptions;
  readonly #waiting: Pending<Waiting>;
  #givenUp: Set<number> | undefined;
  #asked: readonly Asked[] = [];
  #replying = 0;
  #gone: ZaguanError | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#waiting = new Pending(options.firstId);
  }

  request(method: string, params: Params, options: RequestOptions): Promise<Payload> {
    if (this.#gone) return Promise.reject(this.#gone);
    if (options.signal.aborted) return Promise.reject(toZaguanError(options.signal.reason));
    const id = this.#waiting.reserve();
    const sent = encodeRequest(id, method, params(id));
    return new Promise((resolve, reject) => {
      const sending = this.#options.send(sent, options.signal, options.headers);
      const waiting = new Waiting(resolve, reject, options, () => this.#giveUp(id, sending));
      this.#waiting.put(id, waiting);
      sending?.catch((error) => this.#settle(id)?.reject(toZaguanError(error)));
    });
  }

  /** Resolves when the other side has taken it, or never will: the link reports its own end. */
  async notify(method: string, params?: string): Promise<void> {
    await this.#options.send(encodeNotification(method, params))?.catch(() => {});
  }

  /**
   * Takes one message text that came in; `during` is the request of ours on whose answer's stream it came. Says whether
   * somebody waited for it.
   */
  receive(text: string, during?: number): "answer" | "question" | "unasked" {
    const message = readSourceMessage(text, this.#options.limits);
    if (message.kind === "answer" && this.#takeAnswer(message)) return "answer";
    if (message.kind === "reject" && (this.#takeDeep(message, text) || this.#takeUnreadable(message))) return "answer";
    if (message.kind === "call") this.#takeCall(message, during);
    else this.#options.onNoise(text.slice(0, 500));
    return message.kind === "call" && message.id !== undefined ? "question" : "unasked";
  }

  /** A message was too large to be kept: whoever waits for it is told, and whatever else it was is dropped. */
  passOver(message: CutMessage): void {
    const { bytes, limit } = message;
    const { kind, id } = readCut(message);
    if (kind === "answer" && this.#takeTooLarge(id, message)) return;
    const error = new ZaguanError("TOO_LARGE", { params: { what: "a request", limit: `${limit} bytes` } });
    if (kind === "request" && id !== undefined) this.#reply(encodeError(id, refusal(error, "")));
    const unknown = kind === "answer" ? ", and which call it is for cannot be told" : "";
    this.#options.onDropped?.(`dropped: its ${kind} of ${bytes} bytes is larger than ${limit} bytes${unknown}`);
  }

  /** The answer to one sent message is over (HTTP): if it brought no result, nobody knows. */
  answerEnded(sent: string, error: ZaguanError | undefined): void {
    // Cut because the caller left: whoever watches for that has yet to tell the source.
    if (this.#waiting.get(sentId(sent))?.options.signal.aborted) return;
    this.#settle(sentId(sent))?.reject(error ?? this.#lost(new NoResult("the answer ended without a result")));
  }

  /** Whether a sent message still lacks its answer. */
  isPending(sent: string): boolean {
    return this.#waiting.get(sentId(sent)) !== undefined;
  }

  /** The conversation is over: whoever still waits is told that nobody knows, and whoever is asked need not answer. */
  end(reason: string): void {
    this.#gone ??= new ZaguanError("SOURCE_UNAVAILABLE", {
      params: { source: this.#options.name, reason },
      delivery: "not_sent",
    });
    for (const id of this.#waiting.ids()) this.#settle(id)?.reject(this.#lost(new Error(reason)));
    for (const asked of this.#asked) this.#withdraw(asked);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  #takeAnswer(message: RpcAnswer): boolean {
    const id = Number(unquoted(message.id));
    const waiting = this.#settle(id);
    if (message.error) waiting?.reject(this.#relayed(message.error));
    else waiting?.resolve(message.result as Payload);
    return waiting !== undefined || this.#givenUp?.delete(id) === true;
  }

  #takeDeep(refused: RpcReject, text: string): boolean {
    if (!this.#waiting.get(Number(unquoted(refused.id)))?.options.isDeep) return false;
    const message = readSourceMessage(text, { ...this.#options.limits, depth: Number.POSITIVE_INFINITY });
    return message.kind === "answer" && this.#takeAnswer(message);
  }

  /** An answer that we cannot pass on is an answer all the same: its caller must not wait for another. */
  #takeUnreadable(message: RpcReject): boolean {
    const id = Number(unquoted(message.id));
    const waiting = this.#settle(id);
    const reason = `its answer cannot be read: ${message.error.details.params?.["reason"] ?? "malformed"}`;
    const params = { source: this.#options.name, reason };
    waiting?.reject(new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" }));
    return waiting !== undefined || this.#givenUp?.delete(id) === true;
  }

  #takeTooLarge(id: string | undefined, { bytes, limit }: CutMessage): boolean {
    if (id === undefined) return false;
    const number = Number(unquoted(id));
    const waiting = this.#settle(number);
    waiting?.reject(answerTooLarge(this.#options.name, bytes, limit, "executed"));
    return waiting !== undefined || this.#givenUp?.delete(number) === true;
  }

  #takeCall(message: RpcCall, during: number | undefined): void {
    if (message.id !== undefined) this.#answer(message, message.id, during);
    else if (message.method === "notifications/progress") this.#progress(message);
    else if (message.method !== "notifications/cancelled" || !this.#takeBack(message)) this.#notified(message, during);
  }

  #notified({ method, params }: RpcCall, during: number | undefined): void {
    if (during === undefined || FOR_ALL.test(method)) {
      this.#options.onNotification(method, params);
      return;
    }
    const waiting = this.#waiting.get(during);
    if (waiting?.options.onNotification) waiting.options.onNotification(method, params);
    // What was meant for somebody who has left is nobody else's business.
    else if (waiting) this.#options.onNotification(method, params);
  }

  /** The other side does not want the answer to its own request any more. */
  #takeBack(message: RpcCall): boolean {
    const id = memberText(message.text, message.members, "requestId") ?? "";
    const asked = this.#asked.findLast((one) => one.id === id);
    return asked !== undefined && this.#withdraw(asked);
  }

  #withdraw(asked: Asked): boolean {
    asked.wanted.abort(new ZaguanError("CANCELLED"));
    return this.#forget(asked);
  }

  /** `ping` is a courtesy every peer owes; the rest is for whoever takes requests, if anybody does. */
  #answer(call: RpcCall, id: string, during: number | undefined): void {
    if (call.method === "ping") this.#reply(encodeResult(id, EMPTY_OBJECT));
    else if (during !== undefined && this.#waiting.get(during)?.options.isUnaskable) this.#failAsking(during, call);
    else if (this.#asked.length < MAX_ASKED) void this.#passOn(call, id, during);
    else this.#reply(encodeError(id, { code: ERRORS.NO_CAPACITY.rpc, message: "NO_CAPACITY" }));
  }

  #failAsking(during: number, { method }: RpcCall): void {
    const reason = `it asks ${method.slice(0, 64)} in the middle of its answer, which this revision does not know`;
    const params = { source: this.#options.name, reason };
    this.#settle(during)?.reject(new ZaguanError("SOURCE_ERROR", { params, delivery: "unknown" }));
  }

  async #passOn({ method, params }: RpcCall, id: string, during: number | undefined): Promise<void> {
    const wanted = new LightAbort();
    const asked: Asked = { id, wanted };
    this.#asked = [...this.#asked, asked];
    let text: string;
    try {
      text = encodeResult(id, await this.#ask(method, during)(method, params, wanted));
    } catch (cause) {
      text = encodeError(id, refusal(toZaguanError(cause), method));
    }
    this.#forget(asked);
    if (!wanted.aborted) this.#reply(text);
  }

  /** Tells whether it was still there. */
  #forget(asked: Asked): boolean {
    const others = this.#asked.filter((one) => one !== asked);
    const isKnown = others.length < this.#asked.length;
    this.#asked = others;
    return isKnown;
  }

  #reply(text: string): void {
    if (this.#replying >= MAX_REPLYING) return;
    const sending = this.#options.send(text);
    if (!sending) return;
    this.#replying++;
    const taken = (): void => {
      this.#replying--;
    };
    sending.then(taken, taken);
  }

  #ask(method: string, during: number | undefined): Ask {
    const waiting = during === undefined ? undefined : this.#waiting.get(during);
    if (during !== undefined && !waiting) throw new ZaguanError("CANCELLED");
    const ask = waiting?.options.onRequest ?? this.#options.onRequest;
    if (!ask) throw new ZaguanError("UNKNOWN_METHOD", { params: { method } });
    return ask;
  }

  #progress(message: RpcCall): void {
    const token = memberText(message.text, message.members, "progressToken");
    this.#waiting.get(Number(unquoted(token ?? "")))?.options.onProgress?.(message.params);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.take(id);
    waiting?.stop();
    return waiting;
  }

  #giveUp(id: number, sending: Sending): void {
    const waiting = this.#settle(id);
    if (!waiting) return;
    this.#rememberGivenUp(id);
    void this.#abandon(id, waiting.options, sending).then(waiting.reject);
  }

  #rememberGivenUp(id: number): void {
    this.#givenUp ??= new Set();
    this.#givenUp.add(id);
    if (this.#givenUp.size <= MAX_GIVEN_UP) return;
    const [oldest] = this.#givenUp;
    if (oldest !== undefined) this.#givenUp.delete(oldest);
  }

  /** Whether the message had left only the link can tell; if it had, the source is told that nobody waits any more. */
  async #abandon(id: number, options: RequestOptions, sending: Sending): Promise<ZaguanError> {
    const reason = toZaguanError(options.signal.reason);
    const fate = await sending?.then(
      () => undefined,
      (error) => toZaguanError(error).delivery,
    );
    if (fate === "not_sent") return withDelivery(reason, "not_sent");
    if (options.cancellable !== false) void this.notify("notifications/cancelled", `{"requestId":${id}}`);
    return reason;
  }

  #relayed(error: Payload): ZaguanError {
    const { code, message, data } = error.value as { code?: unknown; message?: unknown; data?: unknown };
    const words = typeof message === "string" ? message.slice(0, 2_000) : "no message";
    const isLawful = Number.isInteger(code) && typeof message === "string";
    return new ZaguanError("SOURCE_ERROR", {
      params: { source: this.#options.name, reason: words },
      delivery: "executed",
      relayed: {
        code: Number.isInteger(code) ? (code as number) : -32603,
        message: words,
        data,
        text: isLawful ? error.text : undefined,
      },
    });
  }

  #lost(cause: Error): ZaguanError {
    return new ZaguanError("OUTCOME_UNKNOWN", {
      params: { source: this.#options.name },
      delivery: "unknown",
      cause,
    });
  }
}

/** Somebody who waits for an answer, and listens for the caller's leaving. */
class Waiting {
  readonly resolve: (result: Payload) => void;
  readonly reject: Reject;
  readonly options: RequestOptions;
  readonly #onAbort: () => void;

  constructor(resolve: (result: Payload) => void, reject: Reject, options: RequestOptions, onAbort: () => void) {
    this.resolve = resolve;
    this.reject = reject;
    this.options = options;
    this.#onAbort = onAbort;
    options.signal.addEventListener("abort", onAbort, { once: true });
  }

  stop(): void {
    this.options.signal.removeEventListener("abort", this.#onAbort);
  }
}

/** The error of whoever was asked goes on as it is; any other is told without its inner reason. */
function refusal(error: ZaguanError, method: string): { code: number; message: string; data?: unknown } {
  const { relayed } = error.details;
  if (relayed) return { code: relayed.code, message: relayed.message, data: relayed.data };
  if (error.code === "UNKNOWN_METHOD") return { code: -32601, message: `Method not found: ${method}` };
  return { code: error.row.rpc, message: error.code };
}

/** Some servers send our number back as a string. */
function unquoted(id: string): string {
  return id.startsWith('"') ? id.slice(1, -1) : id;
}
