/**
 * One connection of a carrier that takes messages both ways at any time (standard input and output, a socket, an event
 * stream with its POSTs), in either era: every message says by itself to which it belongs. What comes is read and
 * answered, what the hub says unasked goes the same way.
 */
import type { Principal } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { encodeError, type RpcCall, type RpcMessage, readMessage } from "../../protocol/json-rpc/message.ts";
import { classify, type Era } from "../../protocol/mcp/classify.ts";
import { BATCH_VERSION, isBatch, noBatches, readBatch } from "./batch.ts";
import { ClientLink } from "./client-link.ts";
import { rpcError } from "./failure.ts";
import { HandshakeCodec } from "./handshake-codec.ts";
import { type RunningRequest, RunningRequests } from "./running-requests.ts";
import type { StatelessCodec } from "./stateless/codec.ts";
import type { McpTarget, RpcRequest } from "./target.ts";

export interface TwoWayOptions {
  readonly target: McpTarget;
  readonly stateless: StatelessCodec;
  readonly principal: Principal;
  readonly language: Language;
  /** Whether those who come without a handshake are told of wrong arguments as bare JSON-RPC does, by an error. */
  readonly bareAtFirst: boolean;
  /** Whether the client is spoken to as to a device; it may turn out to be one. @default never */
  isDevice?(): boolean;
  limits(): ScanLimits;
  write(message: string): void;
  report(cause: unknown): string;
}

/** Takes an answer. */
type Reply = (message: string) => void;

export class TwoWay {
  readonly #options: TwoWayOptions;
  readonly #handshake: HandshakeCodec;
  /** Requests of the stateless era that have no answer yet. */
  readonly #stateless = new RunningRequests();
  /** Those of them that would stay for ever. */
  readonly #listening = new Set<RunningRequest>();
  /** For what sources ask of the client. */
  readonly #client: ClientLink;
  /** How many messages are being answered, and who waits until none is. */
  #running = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  #finishing = false;
  readonly #write: Reply = (message) => this.#options.write(message);

  constructor(options: TwoWayOptions) {
    this.#options = options;
    const { target, principal, bareAtFirst, report } = options;
    const isDevice = (): boolean => options.isDevice?.() ?? false;
    this.#handshake = new HandshakeCodec({ target, principal, bareAtFirst, isDevice, report, tell: this.#write });
    this.#client = new ClientLink(options.limits());
    this.#client.addOutlet((message) => {
      this.#write(message);
      return true;
    });
  }

  /** A message or, in the revision that has them, a batch. */
  receive(text: string, reply: Reply = this.#write): void {
    if (isBatch(text)) this.#track(this.#takeBatch(text, reply));
    else this.take(readMessage(text, this.#options.limits()), reply);
  }

  /** Its answer goes to `reply`, where that is another way than the usual. */
  take(message: RpcMessage, reply: Reply = this.#write): void {
    this.#track(this.#answer(message, classify({ message }), reply));
  }

  /** `id` as its own JSON text. */
  refuse(id: string, error: ZaguanError): void {
    this.#options.write(this.#refusal(id, error));
  }

  /** Resolves when every request that came has its answer. */
  async drain(): Promise<void> {
    while (this.#running > 0) {
      this.#idle ??= Promise.withResolvers<void>();
      await this.#idle.promise;
    }
  }

  /** The same, but those who listen listen no longer, and what still comes is refused. */
  finish(): Promise<void> {
    this.#finishing = true;
    for (const request of this.#listening) request.abort(closing());
    return this.drain();
  }

  /** The client is gone: nobody waits for what still runs. */
  close(): void {
    this.#handshake.end();
    this.#stateless.cancelAll();
    this.#client.end();
  }

  /** Whoever has agreed on no revision may speak the one that has batches. */
  async #takeBatch(text: string, reply: Reply): Promise<void> {
    try {
      if ((this.#handshake.version ?? BATCH_VERSION) !== BATCH_VERSION) throw noBatches();
      const messages = readBatch(text, this.#options.limits());
      const answers = await Promise.all(messages.map((message) => this.#answerOneOf(message)));
      const said = answers.filter((answer) => answer !== undefined);
      if (said.length > 0) reply(`[${said.join(",")}]`);
    } catch (cause) {
      reply(this.#refusal("null", toZaguanError(cause)));
    }
  }

  /** Neither a handshake nor a request of a later revision can be part of a batch. */
  async #answerOneOf(message: RpcMessage): Promise<string | undefined> {
    const era = classify({ message });
    const fits = era.era === "handshake" && !(isRequest(message) && message.method === "initialize");
    if (!fits && isRequest(message)) return this.#refusal(message.id, noBatches());
    let answer: string | undefined;
    await this.#answer(message, era, (text) => {
      answer = text;
    });
    return answer;
  }

  async #answer(message: RpcMessage, era: Era, reply: Reply): Promise<void> {
    const isModern = era.era !== "handshake";
    const refusal = (id: string, error: ZaguanError): string =>
      isModern ? this.#statelessRefusal(id, error) : this.#refusal(id, error);
    if (message.kind === "reject") reply(refusal(message.id, message.error));
    else if (message.kind === "answer") this.#client.receive(message.text);
    else if (!isRequest(message)) this.#notified(message, isModern);
    else if (era.era === "reject") reply(refusal(message.id, era.error));
    else if (this.#finishing) reply(refusal(message.id, closing()));
    else if (isModern) await this.#answerStateless(message, reply);
    else await this.#answerAfterHandshake(message, reply);
  }

  /** Of what its client has cancelled nothing more is said. */
  async #answerStateless(call: RpcRequest, reply: Reply): Promise<void> {
    const { target, stateless, principal, language } = this.#options;
    const signal = this.#stateless.begin(call.id, undefined);
    const notify = (message: string): void => {
      if (!isCancelled(signal)) this.#write(message);
    };
    if (call.method === "subscriptions/listen") this.#listening.add(signal);
    const { text } = await stateless.answer(() => target, call, { principal, language, signal, notify });
    this.#listening.delete(signal);
    this.#stateless.end(signal);
    if (!isCancelled(signal)) reply(text);
  }

  async #answerAfterHandshake(call: RpcRequest, reply: Reply): Promise<void> {
    const context = { language: this.#options.language, notify: this.#write, client: this.#client };
    const { text } = await this.#handshake.answer(call, context);
    if (text !== undefined) reply(text);
  }

  /** What is cancelled by its id may be of either era. */
  #notified(call: RpcCall, isModern: boolean): void {
    const isCancelling = call.method === "notifications/cancelled";
    if (isCancelling) this.#stateless.cancel(call);
    if (isCancelling || !isModern) this.#handshake.notified(call);
  }

  #statelessRefusal(id: string, error: ZaguanError): string {
    return this.#options.stateless.failed(id, error, this.#options.language).text;
  }

  #refusal(id: string, error: ZaguanError): string {
    return encodeError(id, rpcError(error, this.#options.language));
  }

  #track(work: Promise<void>): void {
    this.#running++;
    void work.finally(this.#answered);
  }

  readonly #answered = (): void => {
    if (--this.#running > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  };
}

function isRequest(message: RpcMessage): message is RpcRequest {
  return message.kind === "call" && message.id !== undefined;
}

/** The client's own cancellation has no reason of ours. */
function isCancelled({ aborted, reason }: CancelSignal): boolean {
  return aborted && !(reason instanceof ZaguanError);
}

function closing(): ZaguanError {
  const params = { source: "zaguan", reason: "it is closing" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
}
