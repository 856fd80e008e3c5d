/**
 * Finds out which era a server is of, and greets it accordingly: first the question that only the newer era knows, then,
 * unless it was answered well, the handshake of the older one, in the same conversation.
 */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { judgeDiscovery, judgeRefusal, refusesHandshakes, type Verdict } from "../../protocol/mcp/discovery.ts";
import { faceOfDiscovery } from "../../protocol/mcp/face.ts";
import type { StopSignal } from "../../stop.ts";
import type { Conversation, EraClient } from "./conversation.ts";
import type { EraMemory } from "./era-memory.ts";
import { HandshakeClient, UnknownVersion } from "./handshake-client.ts";
import { discover, ModernClient, type ModernOptions } from "./modern-client.ts";

export interface GreetingOptions extends ModernOptions {
  readonly memory: EraMemory;
  /**
   * How long the question may stay unanswered before that counts as an answer; undefined where it never does, because an
   * HTTP server answers everything, or is broken.
   */
  readonly patienceMs?: number | undefined;
  /** Whether a failed question says that the server is an older one; otherwise the failure is the end of the attempt. */
  isEvidence(error: ZaguanError): boolean;
  /** Does the handshake. */
  handshake(client: HandshakeClient, signal: StopSignal): Promise<unknown>;
  /** Told of every question that failed, for the log. */
  onRefused?(error: ZaguanError): void;
}

/** What became of the question so far. */
interface Asked {
  readonly verdict: Verdict | "silence";
  readonly result?: Payload | undefined;
}

export class Greeting {
  readonly #conversation: Conversation;
  readonly #options: GreetingOptions;
  /** A question is out that nobody has answered: a server that ends now may have ended of it. */
  isAsking = false;
  /** The answer came after all, when the handshake was already under way. */
  #isModernAfterAll = false;

  constructor(conversation: Conversation, options: GreetingOptions) {
    this.#conversation = conversation;
    this.#options = options;
  }

  get #isLent(): boolean {
    return this.#conversation.context.client?.isLent === true;
  }

  async greet(signal: StopSignal): Promise<EraClient> {
    const { memory } = this.#options;
    if (this.#isLent) return await this.#shakeHands(false, signal);
    const isKnown = memory.isHandshake(this.#conversation.context.clock);
    const asked: Asked = isKnown ? { verdict: "silence" } : await this.#ask(signal);
    if (asked.verdict === "neither") throw this.#unavailable("it speaks no protocol version that we know");
    if (asked.verdict === "modern") return asked.result ? this.#modern(asked.result) : await this.#insist(signal);
    return await this.#shakeHands(asked.verdict === "silence", signal);
  }

  /** Goes straight to the handshake. */
  async shakeHands(signal: StopSignal): Promise<EraClient> {
    return await this.#shakeHands(false, signal);
  }

  async #shakeHands(mayBeModern: boolean, signal: StopSignal): Promise<EraClient> {
    const { memory, handshake } = this.#options;
    const client = new HandshakeClient(this.#conversation);
    try {
      await handshake(client, signal);
    } catch (error) {
      // What becomes of it says nothing about how to greet the server for everybody.
      if (this.#isLent) throw error;
      const { relayed, cause } = toZaguanError(error).details;
      if (relayed || cause instanceof UnknownVersion) memory.forget();
      if (!relayed || !refusesHandshakes(relayed, mayBeModern)) throw error;
      return await this.#insist(signal);
    }
    if (!this.#isLent && !this.#isModernAfterAll) memory.rememberHandshake(this.#conversation.context.clock);
    return client;
  }

  /** Silence within the time given is an answer; one that comes later is not used, but it is remembered. */
  #ask(signal: StopSignal): Promise<Asked> {
    const { patienceMs } = this.#options;
    this.isAsking = true;
    return new Promise((resolve, reject) => {
      const silence = (): void => resolve({ verdict: "silence" });
      const { clock } = this.#conversation.context;
      const stop = patienceMs === undefined ? () => {} : clock.after(patienceMs, silence);
      const over = (): void => {
        stop();
        this.isAsking = false;
      };
      discover(this.#conversation, this.#options.overHttp, signal).then(
        (result) => {
          over();
          const verdict = judgeDiscovery(result.value);
          if (verdict === "modern") this.#proveModern();
          resolve({ verdict, result });
        },
        (cause) => {
          stop();
          const error = toZaguanError(cause);
          this.#options.onRefused?.(error);
          if (!this.#options.isEvidence(error)) return reject(error);
          over();
          resolve({ verdict: error.details.relayed ? judgeRefusal(error.details.relayed) : "handshake" });
        },
      );
    });
  }

  /** Also if the answer came too late for this life: the next is to ask again. */
  #proveModern(): void {
    this.#isModernAfterAll = true;
    this.#options.memory.forget();
  }

  /** With all the patience there is: it has shown that it is of this era. */
  async #insist(signal: StopSignal): Promise<EraClient> {
    const result = await discover(this.#conversation, this.#options.overHttp, signal);
    if (judgeDiscovery(result.value) === "modern") return this.#modern(result);
    throw this.#unavailable("it speaks no protocol version that we know");
  }

  #modern(result: Payload): EraClient {
    return new ModernClient(this.#conversation, faceOfDiscovery(result), this.#options);
  }

  #unavailable(reason: string): ZaguanError {
    const params = { source: this.#conversation.context.name, reason };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
  }
}
