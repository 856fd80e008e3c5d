/**
 * Finds out which era a server is of, and greets it accordingly: first the question that only the newer era knows, then,
 * unless it was answered well, the handshake of the older one, in the same conversation.
 */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import { statusOf } from "../../link/http-failures.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { faceOfDiscovery } from "../../protocol/mcp/face.ts";
import {
  isModernVersion,
  judgeDiscovery,
  judgeRefusal,
  refusesHandshakes,
  type Verdict,
} from "../../protocol/mcp/versions.ts";
import type { Conversation, EraClient } from "./conversation.ts";
import type { EraMemory } from "./era-memory.ts";
import { HandshakeClient, UnknownVersion } from "./handshake-client.ts";
import { discover, ModernClient, type ModernOptions } from "./modern-client.ts";

interface GreetingOptions extends ModernOptions {
  readonly memory: EraMemory;
  /** The revision that is configured: then there is no question. */
  readonly revision?: string | undefined;
  /** Whether the handshake may still succeed after the question failed so; otherwise the failure is the end. */
  leadsOn(error: ZaguanError): boolean;
  /** Does the handshake. */
  handshake(client: HandshakeClient, signal: CancelSignal): Promise<unknown>;
  /** Told of every question that failed or was not answered in time, for the log. */
  onRefused?(error: ZaguanError): void;
}

/** What became of the question so far. "nothing": no answer, or one that tells nothing of the server's era. */
interface Asked {
  readonly verdict: Verdict | "nothing";
  readonly result?: Payload | undefined;
}

/**
 * Counted from the start, though a program may take longer than this to come up: both greetings then lie in its pipe, it
 * answers the one it knows, and a late answer is no loss. Waiting for a first sign of life instead would hold up every
 * server that says nothing before it is greeted.
 */
const PROBE_MS = 2_000;

export class Greeting {
  readonly #conversation: Conversation;
  readonly #options: GreetingOptions;
  /** The question was asked: a server that ends before it is greeted may have ended of it. */
  hasAsked = false;
  /** The answer came after all, when the handshake was already under way. */
  #isModernAfterAll = false;

  constructor(conversation: Conversation, options: GreetingOptions) {
    this.#conversation = conversation;
    this.#options = options;
  }

  get #isLent(): boolean {
    return this.#conversation.context.client?.isLent === true;
  }

  async greet(signal: CancelSignal): Promise<EraClient> {
    const { memory, revision } = this.#options;
    if (isModernVersion(revision)) return await this.#insist(signal);
    if (this.#isLent) return await this.#shakeHands(false, signal);
    const isKnown = revision !== undefined || memory.isHandshake(this.#conversation.context.clock);
    const asked: Asked = isKnown ? { verdict: "nothing" } : await this.#ask(signal);
    if (asked.verdict === "neither") throw this.#unavailable("it speaks no protocol version that we know");
    if (asked.verdict === "modern") return asked.result ? this.#modern(asked.result) : await this.#insist(signal);
    return await this.#shakeHands(asked.verdict === "nothing", signal);
  }

  /** Goes straight to the handshake. */
  async shakeHands(signal: CancelSignal): Promise<EraClient> {
    return await this.#shakeHands(false, signal);
  }

  async #shakeHands(mayBeModern: boolean, signal: CancelSignal): Promise<EraClient> {
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
    if (!this.#isLent) this.#remember(mayBeModern && this.#options.overHttp);
    return client;
  }

  /** A server that was only in trouble when it was asked is asked again soon. */
  #remember(isDoubtful: boolean): void {
    const { memory } = this.#options;
    const { clock } = this.#conversation.context;
    if (this.#isModernAfterAll) return;
    if (isDoubtful) memory.suspectHandshake(clock);
    else memory.rememberHandshake(clock);
  }

  /** Silence within the time given is an answer; one that comes later is not used, but it is remembered. */
  #ask(signal: CancelSignal): Promise<Asked> {
    const { overHttp } = this.#options;
    const { clock } = this.#conversation.context;
    const enough = new LightAbort();
    this.hasAsked = true;
    return new Promise((resolve, reject) => {
      const stop = clock.after(PROBE_MS, () => {
        this.#options.onRefused?.(this.#unavailable(`it did not answer within ${PROBE_MS / 1_000} s`));
        resolve({ verdict: "nothing" });
        // On a pipe a late answer is still worth hearing; over HTTP it would hold a connection.
        if (overHttp) enough.abort(new ZaguanError("CANCELLED"));
      });
      discover(this.#conversation, overHttp, anyOf(signal, enough)).then(
        (result) => {
          stop();
          const verdict = judgeDiscovery(result.value);
          if (verdict === "modern") this.#proveModern();
          resolve({ verdict, result });
        },
        (cause) => {
          stop();
          if (enough.aborted) return;
          const error = toZaguanError(cause);
          this.#options.onRefused?.(error);
          if (signal.aborted || !this.#options.leadsOn(error)) reject(error);
          else resolve({ verdict: verdictOf(error) });
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
  async #insist(signal: CancelSignal): Promise<EraClient> {
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

/** What a server answers in its protocol's words tells its era; a status like 502 may be anybody's. */
function verdictOf(error: ZaguanError): Asked["verdict"] {
  const { relayed } = error.details;
  if (relayed) return judgeRefusal(relayed);
  return error.code === "SOURCE_ERROR" && (statusOf(error) ?? 0) < 500 ? "handshake" : "nothing";
}
