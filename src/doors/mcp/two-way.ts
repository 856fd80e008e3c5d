/**
 * One connection of a carrier that takes messages both ways at any time (standard input and output, a socket, an event
 * stream with its POSTs), in either era: every message says by itself to which it belongs. What comes is read and
 * answered, what the hub says unasked goes the same way.
 */
import type { Principal } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import {
  encodeError,
  memberString,
  type RpcCall,
  type RpcMessage,
  readMessage,
} from "../../protocol/json-rpc/message.ts";
import { classify, type Era } from "../../protocol/mcp/classify.ts";
import { negotiate } from "../../protocol/mcp/versions.ts";
import { BATCH_VERSION, isBatch, noBatches, readBatch } from "./batch.ts";
import { ClientLink } from "./client-link.ts";
import type { Dialogue } from "./conversation.ts";
import type { Counterpart } from "./counterpart.ts";
import { rpcError } from "./failure.ts";
import { StatelessRequests } from "./stateless/two-way.ts";

export interface TwoWayOptions {
  readonly counterpart: Counterpart;
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

type Request = RpcCall & { readonly id: string };
/** Takes an answer. */
type Reply = (message: string) => void;

export class TwoWay {
  readonly #options: TwoWayOptions;
  readonly #conversation: Dialogue;
  readonly #stateless: StatelessRequests;
  /** For what sources ask of the client. */
  readonly #client: ClientLink;
  readonly #stopListening: () => void;
  /** How many messages are being answered, and who waits until none is. */
  #running = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  /** The revision that was agreed on, if there was a handshake. */
  #version: string | undefined;
  #finishing = false;
  readonly #write: Reply = (message) => this.#options.write(message);

  constructor(options: TwoWayOptions) {
    this.#options = options;
    const { counterpart, principal, bareAtFirst } = options;
    const hasGreeted = (): boolean => this.#version !== undefined;
    const tell = (message: string): void => options.write(message);
    const isDevice = (): boolean => options.isDevice?.() ?? false;
    this.#conversation = counterpart.converse({ principal, isBare: () => bareAtFirst && !hasGreeted(), isDevice });
    this.#stateless = new StatelessRequests({ ...options, face: counterpart.stateless });
    this.#client = new ClientLink(options.limits());
    this.#client.addOutlet((message) => {
      tell(message);
      return true;
    });
    this.#stopListening = counterpart.listen({ dialogue: this.#conversation, hasGreeted, tell });
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
    this.#stateless.finish(closing());
    return this.drain();
  }

  /** The client is gone: nobody waits for what still runs. */
  close(): void {
    this.#stopListening();
    this.#conversation.end();
    this.#stateless.end();
    this.#client.end();
  }

  /** Whoever has agreed on no revision may speak the one that has batches. */
  async #takeBatch(text: string, reply: Reply): Promise<void> {
    try {
      if ((this.#version ?? BATCH_VERSION) !== BATCH_VERSION) throw noBatches();
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
      isModern ? this.#stateless.refusal(id, error) : this.#refusal(id, error);
    if (message.kind === "reject") reply(refusal(message.id, message.error));
    else if (message.kind === "answer") this.#client.receive(message.text);
    else if (!isRequest(message)) this.#notified(message, isModern);
    else if (era.era === "reject") reply(refusal(message.id, era.error));
    else if (this.#finishing) reply(refusal(message.id, closing()));
    else if (isModern) await this.#answerStateless(message, reply);
    else await this.#answerInConversation(message, reply);
  }

  async #answerStateless(call: Request, reply: Reply): Promise<void> {
    const text = await this.#stateless.answer(call);
    if (text !== undefined) reply(text);
  }

  async #answerInConversation(call: Request, reply: Reply): Promise<void> {
    const { language, write } = this.#options;
    const isGreeting = call.method === "initialize";
    if (isGreeting) this.#client.learn(call);
    const context = { language, notify: write, client: this.#client };
    const { text, error } = await this.#conversation.answer(call, context);
    if (isGreeting && !error) this.#version = negotiate(memberString(call.text, call.members, "protocolVersion"));
    if (text !== undefined) reply(text);
  }

  /** What is cancelled by its id may be of either era. */
  #notified(call: RpcCall, isModern: boolean): void {
    const isCancelling = call.method === "notifications/cancelled";
    if (isCancelling) this.#stateless.cancel(call);
    if (isCancelling || !isModern) this.#conversation.notified(call);
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

function isRequest(message: RpcMessage): message is Request {
  return message.kind === "call" && message.id !== undefined;
}

function closing(): ZaguanError {
  const params = { source: "zaguan", reason: "it is closing" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
}
