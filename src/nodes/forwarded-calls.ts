/**
 * The entry's side of forwarded calls: calls of this node's clients to sources that another node holds. The state machine
 * `cluster/forward-entry.ts` decides what is sent when; this class connects it with the requests and their promises.
 */
import type { NewCall } from "../cluster/forward-entry.ts";
import type { Outcome } from "../cluster/messages.ts";
import { toZaguanError, withDelivery, ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { SourceRequest } from "../sources/source.ts";
import { decodeMessage, encodeAnswer, encodeRequest, errorOf, type RequestKind } from "./wire.ts";

interface EntryMachine {
  call(call: NewCall): void;
  cancel(call: string): void;
  answer(call: string, question: number, text: string): void;
}

interface ForwardSetup {
  readonly node: string;
  /** The boot id of this process, which makes the ids of its calls unique in the cluster. */
  readonly boot: string;
  readonly machine: EntryMachine;
  /** The longest that a call may take, in milliseconds. */
  maxCallMs(): number;
}

interface Forwarded {
  readonly source: string;
  readonly request: SourceRequest;
  readonly settled: PromiseWithResolvers<Payload>;
  /** What its client is asked at the moment; aborted where nobody wants to know any more. */
  readonly questions: Map<number, LightAbort>;
}

export class ForwardedCalls {
  readonly #setup: ForwardSetup;
  readonly #calls = new Map<string, Forwarded>();
  #count = 0;

  constructor(setup: ForwardSetup) {
    this.#setup = setup;
  }

  get size(): number {
    return this.#calls.size;
  }

  async forward(source: string, kind: RequestKind, request: SourceRequest): Promise<Payload> {
    const { signal } = request;
    if (signal.aborted) throw withDelivery(toZaguanError(signal.reason), "not_sent");
    const { node, boot, machine, maxCallMs } = this.#setup;
    const call = `${boot}.${++this.#count}`;
    const forwarded: Forwarded = { source, request, settled: Promise.withResolvers(), questions: new Map() };
    this.#calls.set(call, forwarded);
    const cancel = (): void => machine.cancel(call);
    signal.addEventListener("abort", cancel, { once: true });
    // This node's pipeline enforces the real deadline, which progress and questions extend, and cancels the call when it passes.
    machine.call({ call, key: source, leftMs: maxCallMs(), body: encodeRequest(kind, request, node) });
    try {
      return await forwarded.settled.promise;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  ended(call: string, outcome: Outcome): void {
    const forwarded = this.#calls.get(call);
    this.#calls.delete(call);
    if (!forwarded) return;
    const { source, request, settled, questions } = forwarded;
    for (const wanted of questions.values()) wanted.abort(new ZaguanError("CANCELLED"));
    if (outcome.kind === "result") settled.resolve(Payload.ofText(outcome.text));
    else if (outcome.code === "CANCELLED" && request.signal.aborted)
      settled.reject(abortError(request, outcome.delivery));
    else settled.reject(errorOf(outcome, source));
  }

  progress(call: string, text: string): void {
    this.#calls.get(call)?.request.onProgress?.(Payload.ofText(text));
  }

  said(call: string, text: string): void {
    this.#calls.get(call)?.request.onNotification?.(...decodeMessage(text));
  }

  asked(call: string, question: number, text: string): void {
    const forwarded = this.#calls.get(call);
    if (!forwarded) return;
    const { request, questions } = forwarded;
    const [method, params] = decodeMessage(text);
    const release = request.hold?.();
    const withdrawal = new LightAbort();
    questions.set(question, withdrawal);
    const answer = request.caller?.request(method, params, withdrawal) ?? Promise.reject(noClient());
    void encodeAnswer(answer).then((said) => {
      questions.delete(question);
      release?.();
      this.#setup.machine.answer(call, question, said);
    });
  }

  withdrawn(call: string, question: number): void {
    this.#calls.get(call)?.questions.get(question)?.abort(new ZaguanError("CANCELLED"));
  }
}

/** The reason is the signal's (the client left, or the deadline passed); the delivery is what the state machine knows of it. */
function abortError({ signal }: SourceRequest, delivery: "not_sent" | "unknown" | "executed"): ZaguanError {
  return withDelivery(toZaguanError(signal.reason), delivery);
}

function noClient(): ZaguanError {
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: "a question to the client" } });
}
