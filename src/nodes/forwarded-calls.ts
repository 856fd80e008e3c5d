/**
 * The entry's side of calls between nodes: calls that clients of this node have made for sources that another node holds. When
 * to send what is the machine's affair (`cluster/forward-entry.ts`).
 */
import type { NewCall } from "../cluster/forward-entry.ts";
import type { Outcome } from "../cluster/messages.ts";
import { toZaguanError, withDelivery, ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { SourceRequest } from "../sources/source.ts";
import { type Asked, decodeSaid, encodeAnswer, encodeRequest, errorOf } from "./wire.ts";

interface EntryMachine {
  call(call: NewCall): void;
  cancel(call: string): void;
  answer(call: string, question: number, text: string): void;
}

interface ForwardSetup {
  readonly node: string;
  /** Begins the id of each call; no other node or process has it. */
  readonly boot: string;
  readonly machine: EntryMachine;
  /** The longest that a call may take, in milliseconds. */
  mostMs(): number;
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

  async forward(source: string, asked: Asked, request: SourceRequest): Promise<Payload> {
    const { signal } = request;
    if (signal.aborted) throw withDelivery(toZaguanError(signal.reason), "not_sent");
    const { node, boot, machine, mostMs } = this.#setup;
    const call = `${boot}.${++this.#count}`;
    const forwarded: Forwarded = { source, request, settled: Promise.withResolvers(), questions: new Map() };
    this.#calls.set(call, forwarded);
    const cancel = (): void => machine.cancel(call);
    signal.addEventListener("abort", cancel, { once: true });
    // The deadline is watched over by the pipeline of this node, since progress and questions move it: its end is a cancellation.
    machine.call({ call, key: source, leftMs: mostMs(), body: encodeRequest(asked, request, node) });
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
    else if (outcome.code === "CANCELLED" && request.signal.aborted) settled.reject(givenUp(request, outcome.delivery));
    else settled.reject(errorOf(outcome, source));
  }

  progress(call: string, text: string): void {
    this.#calls.get(call)?.request.onProgress?.(Payload.ofText(text));
  }

  said(call: string, text: string): void {
    this.#calls.get(call)?.request.onNotification?.(...decodeSaid(text));
  }

  asked(call: string, question: number, text: string): void {
    const forwarded = this.#calls.get(call);
    if (!forwarded) return;
    const { request, questions } = forwarded;
    const [method, params] = decodeSaid(text);
    const goOn = request.hold?.();
    const wanted = new LightAbort();
    questions.set(question, wanted);
    const answer = request.caller?.request(method, params, wanted) ?? Promise.reject(nobody());
    void encodeAnswer(answer).then((said) => {
      questions.delete(question);
      goOn?.();
      this.#setup.machine.answer(call, question, said);
    });
  }

  withdrawn(call: string, question: number): void {
    this.#calls.get(call)?.questions.get(question)?.abort(new ZaguanError("CANCELLED"));
  }
}

/** What ended it was the client's leaving or its deadline; what became of it at its owner is known by the machine alone. */
function givenUp({ signal }: SourceRequest, delivery: "not_sent" | "unknown" | "executed"): ZaguanError {
  return withDelivery(toZaguanError(signal.reason), delivery);
}

function nobody(): ZaguanError {
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: "a question to the client" } });
}
