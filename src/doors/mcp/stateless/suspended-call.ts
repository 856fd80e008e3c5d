/**
 * One request of a stateless client to a source that asks back in the middle of its work. The client cannot be asked: it is
 * answered that more input is needed, the work waits, and goes on when the client comes again with the input.
 */
import type { Caller } from "../../../core/call.ts";
import { ZaguanError } from "../../../errors.ts";
import { EMPTY_OBJECT, Payload } from "../../../protocol/json/payload.ts";
import { membersOf } from "../../../protocol/json/surgery.ts";
import { askable, capabilityFor, mayBeAsked } from "../../../protocol/mcp/client-capabilities.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, type Meta } from "../../../protocol/mcp/envelope.ts";
import { isAtLeast, isLogLevel } from "../../../protocol/mcp/log-level.ts";
import { Stop, type StopSignal } from "../../../stop.ts";

/** What a turn came to: the work is done, or it needs something first. */
export type Turn =
  | { readonly kind: "done"; readonly result: Payload }
  | { readonly kind: "asks"; readonly inputRequests: string };

interface Question {
  readonly method: string;
  readonly params: Payload;
  readonly answer: (response: Payload) => void;
}

/** Questions that a source asks at the same time arrive one after the other; they are put to the client together. */
const MOST_QUESTIONS = 64;
const GATHER_MS = 20;

export class SuspendedCall implements Caller {
  readonly comesAgain = true;
  /** Of all that a client without a session says of itself. */
  readonly identity: string;
  readonly capabilities: Payload;
  readonly info: Payload | undefined;
  readonly logLevel: string | undefined;
  readonly canBeAsked: boolean;
  ownUris: Set<string> | undefined;
  readonly #stop = new Stop();
  readonly #questions = new Map<string, Question>();
  /** Capabilities that the source wanted of the client and that it has not declared. */
  readonly #missing = new Set<string>();
  #work: Promise<Payload> | undefined;
  #onQuestions: (() => void) | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #asked = 0;
  #notify: ((message: string) => void) | undefined;

  constructor(meta: Meta, principalId: string) {
    const client = clientIn(meta);
    this.capabilities = client.capabilities;
    this.info = client.info;
    this.logLevel = client.logLevel;
    this.canBeAsked = client.canBeAsked;
    this.identity = `${principalId}\n${client.identity}`;
  }

  /** Who names no level hears nothing. */
  wantsLog(level: unknown): boolean {
    return this.logLevel !== undefined && isAtLeast(level, this.logLevel);
  }

  /** Sets the work going; `signal` is aborted when nobody will come for it any more. */
  start(work: (signal: StopSignal) => Promise<Payload>): void {
    this.#work = work(this.#stop);
    // It may fail while nobody is there to hear of it.
    this.#work.catch(() => {});
  }

  get settled(): Promise<void> {
    return (this.#work ?? Promise.resolve()).then(
      () => {},
      () => {},
    );
  }

  /** What is said meanwhile goes to whoever is there; to nobody while the client is away. */
  listen(notify: (message: string) => void): () => void {
    this.#notify = notify;
    return () => {
      this.#notify = undefined;
    };
  }

  say(message: string): void {
    this.#notify?.(message);
  }

  /** Waits with the client until there is something to tell it; a client that leaves meanwhile ends the work. */
  async turn(left: StopSignal): Promise<Turn> {
    const leave = (): void => this.abandon();
    left.addEventListener("abort", leave, { once: true });
    if (left.aborted) leave();
    try {
      // Who can be asked nothing waits for one thing alone.
      if (!this.canBeAsked) return await this.#finish();
      return await Promise.race([this.#finish(), this.#questionsAsked()]);
    } finally {
      left.removeEventListener("abort", leave);
      this.#onQuestions = undefined;
    }
  }

  /** Nobody will come for the rest. */
  abandon(): void {
    clearTimeout(this.#gathering);
    this.#stop.abort(new ZaguanError("CANCELLED"));
  }

  /** The client came again. What it left out stays asked; what nobody asked is passed over. */
  take(inputResponses: string | undefined): void {
    for (const { key, kind, start, end } of membersOf(inputResponses ?? "{}")) {
      const question = kind === "object" ? this.#questions.get(key) : undefined;
      question?.answer(Payload.ofText((inputResponses ?? "").slice(start, end)));
    }
  }

  request(method: string, params: Payload, signal: StopSignal): Promise<Payload> {
    const isDeclared = mayBeAsked(this.capabilities, method, params);
    if (!isDeclared) return Promise.reject(this.#cannot(method, capabilityFor(method)));
    if (this.#questions.size >= MOST_QUESTIONS) return Promise.reject(tooManyQuestions());
    const key = `ask-${++this.#asked}`;
    if (signal.aborted) return Promise.reject(new ZaguanError("CANCELLED"));
    return new Promise((resolve, reject) => {
      const takeBack = (): void => {
        this.#questions.delete(key);
        reject(new ZaguanError("CANCELLED"));
      };
      const answer = (response: Payload): void => {
        signal.removeEventListener("abort", takeBack);
        this.#questions.delete(key);
        resolve(response);
      };
      signal.addEventListener("abort", takeBack, { once: true });
      this.#questions.set(key, { method, params, answer });
      this.#gather();
    });
  }

  async #finish(): Promise<Turn> {
    const result = await this.#settle();
    if (this.#missing.size > 0 && isFailed(result)) throw this.#missingCapability();
    return { kind: "done", result };
  }

  /** A source that failed because it could not ask has told the client too little: it can declare more. */
  async #settle(): Promise<Payload> {
    try {
      return await (this.#work as Promise<Payload>);
    } catch (cause) {
      const isOwn = cause instanceof ZaguanError && cause.code === "SOURCE_ERROR";
      throw isOwn && this.#missing.size > 0 ? this.#missingCapability() : cause;
    }
  }

  #questionsAsked(): Promise<Turn> {
    return new Promise((resolve) => {
      this.#onQuestions = () => resolve({ kind: "asks", inputRequests: this.#inputRequests() });
      if (this.#questions.size > 0) this.#gather();
    });
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      if (this.#questions.size > 0) this.#onQuestions?.();
    }, GATHER_MS);
  }

  #inputRequests(): string {
    const all = [...this.#questions].map(([key, { method, params }]) => {
      return `"${key}":{"method":${JSON.stringify(method)},"params":${params.text}}`;
    });
    return `{${all.join(",")}}`;
  }

  #cannot(method: string, needed: string | undefined): ZaguanError {
    if (needed !== undefined) this.#missing.add(needed);
    const relayed = { code: -32601, message: `The client cannot be asked: ${method}` };
    return new ZaguanError("UNKNOWN_METHOD", { params: { method }, relayed, delivery: "not_sent" });
  }

  #missingCapability(): ZaguanError {
    const names = [...this.#missing];
    const requiredCapabilities = Object.fromEntries(names.map((name) => [name, {}]));
    const params = { capability: names.join(", ") };
    return new ZaguanError("MISSING_CAPABILITY", { params, data: { requiredCapabilities } });
  }
}

/** What a client says of itself. */
interface Client extends Pick<Caller, "capabilities" | "info" | "logLevel" | "canBeAsked" | "identity"> {}

/** A client says the same with every request; where it is the very same object, it is read once. */
const clients = new WeakMap<Meta, Client>();

function clientIn(meta: Meta): Client {
  const known = clients.get(meta);
  if (known) return known;
  const capabilities = objectAt(meta, CLIENT_CAPABILITIES) ?? EMPTY_OBJECT;
  const info = objectAt(meta, CLIENT_INFO);
  const level = meta[LOG_LEVEL];
  const logLevel = isLogLevel(level) ? level : undefined;
  const canBeAsked = askable(capabilities).length > 0;
  const client = { capabilities, info, logLevel, canBeAsked, identity: `${info?.text}\n${capabilities.text}` };
  clients.set(meta, client);
  return client;
}

function objectAt(meta: Meta, key: string): Payload | undefined {
  const value = meta[key];
  return typeof value === "object" && value !== null ? Payload.ofValue(value) : undefined;
}

function isFailed(result: Payload): boolean {
  return (result.value as { isError?: unknown } | null)?.isError === true;
}

function tooManyQuestions(): ZaguanError {
  return new ZaguanError("NO_CAPACITY", { params: { source: "the client", waiting: MOST_QUESTIONS, seconds: 1 } });
}
