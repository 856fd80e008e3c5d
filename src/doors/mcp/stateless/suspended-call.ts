/**
 * One request of a stateless client to a source that asks back in the middle of its work. The client cannot be asked: it is
 * answered that more input is needed, the work waits, and goes on when the client comes again with the input.
 */
import { ZaguanError } from "../../../errors.ts";
import { type CancelSignal, LightAbort } from "../../../light-abort.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { membersOf } from "../../../protocol/json/text-edit.ts";
import { mayBeAsked } from "../../../protocol/mcp/client-capabilities.ts";
import { StatelessCaller } from "./stateless-caller.ts";

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

export class SuspendedCall extends StatelessCaller {
  readonly #stop = new LightAbort();
  readonly #questions = new Map<string, Question>();
  #work: Promise<Payload> | undefined;
  #onQuestions: (() => void) | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #asked = 0;
  #notify: ((message: string) => void) | undefined;

  /** Sets the work going; `signal` is aborted when nobody will come for it any more. */
  start(work: (signal: CancelSignal) => Promise<Payload>): void {
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
  async turn(left: CancelSignal): Promise<Turn> {
    const leave = (): void => this.abandon();
    left.addEventListener("abort", leave, { once: true });
    if (left.aborted) leave();
    try {
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

  override request(method: string, params: Payload, signal: CancelSignal): Promise<Payload> {
    if (!mayBeAsked(this.capabilities, method, params)) return super.request(method, params, signal);
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
    return { kind: "done", result: await this.outcomeOf(this.#work as Promise<Payload>) };
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
}

function tooManyQuestions(): ZaguanError {
  return new ZaguanError("NO_CAPACITY", { params: { source: "the client", waiting: MOST_QUESTIONS, seconds: 1 } });
}
