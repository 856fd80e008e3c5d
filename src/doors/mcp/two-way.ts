/**
 * One conversation over a carrier that takes messages both ways at any time (standard input and output, a socket, an
 * event stream with its POSTs): what comes is read and answered, what the hub says unasked goes the same way.
 */
import type { Principal } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { encodeError, type RpcMessage, readMessage } from "../../protocol/json-rpc/message.ts";
import { ClientLink } from "./client-link.ts";
import { Conversation, TOOLS_CHANGED } from "./conversation.ts";
import { rpcError } from "./failure.ts";

export interface TwoWayOptions {
  readonly gateway: Gateway;
  readonly door: string;
  readonly principal: Principal;
  readonly language: Language;
  /** Whether those who come without a handshake are told of wrong arguments as bare JSON-RPC does, by an error. */
  readonly bareAtFirst: boolean;
  limits(): ScanLimits;
  write(message: string): void;
  report(cause: unknown): string;
}

export class TwoWay {
  readonly #options: TwoWayOptions;
  readonly #conversation: Conversation;
  /** For what sources ask of the client. */
  readonly #client: ClientLink;
  readonly #stopListening: () => void;
  readonly #running = new Set<Promise<void>>();
  #greeted = false;
  #finishing = false;

  constructor(options: TwoWayOptions) {
    this.#options = options;
    const { gateway, door, principal, report } = options;
    const isBare = (): boolean => options.bareAtFirst && !this.#greeted;
    this.#conversation = new Conversation({
      ...{ gateway, door, principal, report },
      get bare() {
        return isBare();
      },
    });
    this.#client = new ClientLink(options.limits());
    this.#client.addOutlet((message) => {
      options.write(message);
      return true;
    });
    this.#stopListening = gateway.onToolsChanged(() => {
      if (this.#greeted) options.write(TOOLS_CHANGED);
    });
  }

  receive(text: string): void {
    this.take(readMessage(text, this.#options.limits()));
  }

  take(message: RpcMessage): void {
    if (message.kind === "reject") this.refuse(message.id, message.error);
    if (message.kind === "answer") this.#client.receive(message.text);
    if (message.kind !== "call") return;
    if (message.id === undefined) this.#conversation.notified(message);
    else if (this.#finishing) this.refuse(message.id, closing());
    else this.#track(this.#answer({ ...message, id: message.id }));
  }

  /** `id` as its own JSON text. */
  refuse(id: string, error: ZaguanError): void {
    this.#options.write(encodeError(id, rpcError(error, this.#options.language)));
  }

  /** Resolves when every request that came has its answer. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** The same, and what still comes is refused. */
  finish(): Promise<void> {
    this.#finishing = true;
    return this.drain();
  }

  /** The client is gone: nobody waits for what still runs. */
  close(): void {
    this.#stopListening();
    this.#conversation.end();
    this.#client.end();
  }

  async #answer(call: Parameters<Conversation["answer"]>[0]): Promise<void> {
    const { language, write } = this.#options;
    if (call.method === "initialize") this.#client.learn(call);
    const { text } = await this.#conversation.answer(call, { language, notify: write, client: this.#client });
    if (call.method === "initialize") this.#greeted = true;
    if (text !== undefined) write(text);
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}

function closing(): ZaguanError {
  const params = { source: "zaguan", reason: "it is closing" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
}
