/**
 * The owner's side of forwarded calls: a call that another node offers waits in the source's queue, with the same priorities and
 * fairness as local calls, and runs when that node has sent `go`. The state machine `cluster/forward-owner.ts` decides what
 * happens when; `ref` is its number for a call.
 */
import type { Outcome, ToOwner } from "../cluster/messages.ts";
import type { ServedRequest, ToolDefinition } from "../core/call.ts";
import type { FaceAsker } from "../core/gateway.ts";
import { ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import { decodeAnswer, decodeCaller, encodeFace, encodeMessage, payload, toOutcome, type WireRequest } from "./wire.ts";

export interface ServingHub {
  /** `reserved` is called when the queue reaches the request, and resolves when the request may run. */
  serve(request: ServedRequest, reserved: () => Promise<void>): Promise<Payload>;
  toolsOf(source: string, signal: LightAbort): Promise<readonly ToolDefinition[]>;
  face(source: string, signal: LightAbort, asker?: FaceAsker): Promise<ServerFace | undefined>;
}

/** The events that the state machine is told of. */
interface OwnerMachine {
  turn(ref: number): void;
  refused(ref: number, error: Outcome): void;
  note(ref: number, kind: "progress" | "log", text: string): void;
  /** Returns the number of the question, which the answer repeats. */
  ask(ref: number, text: string): number;
  withdraw(ref: number, question: number): void;
  finished(ref: number, outcome: Outcome): void;
}

type Offer = Extract<ToOwner, { kind: "offer" }>;

interface Served {
  readonly source: string;
  readonly stop: LightAbort;
  readonly go: PromiseWithResolvers<void>;
  hasTurn: boolean;
  readonly questions: Map<number, PromiseWithResolvers<Payload>>;
}

/** The principal of requests that no client has made, as when a hub lists tools. */
const NODE_PRINCIPAL = { id: "node", kind: "local", name: "node" } as const;

export class ServedCalls {
  readonly #hub: ServingHub;
  readonly #machine: OwnerMachine;
  readonly #served = new Map<number, Served>();

  constructor(hub: ServingHub, machine: OwnerMachine) {
    this.#hub = hub;
    this.#machine = machine;
  }

  enqueue(ref: number, { key, body, leftMs }: Offer): void {
    const go = Promise.withResolvers<void>();
    go.promise.catch(() => {});
    const served: Served = { source: key, stop: new LightAbort(), go, hasTurn: false, questions: new Map() };
    this.#served.set(ref, served);
    const wire = JSON.parse(body) as WireRequest;
    this.#run(ref, served, wire, leftMs).then(
      ({ text }) => this.#ended(ref, served, { kind: "result", text }),
      (cause) => this.#ended(ref, served, toOutcome(cause)),
    );
  }

  /** Removes a call that will not run; its place in the queue goes to the next. */
  leave(ref: number): void {
    const served = this.#served.get(ref);
    this.#served.delete(ref);
    const left = new ZaguanError("CANCELLED", { delivery: "not_sent" });
    served?.go.reject(left);
    served?.stop.abort(left);
  }

  execute(ref: number): void {
    this.#served.get(ref)?.go.resolve();
  }

  /** Cancels a running call that nobody waits for any more. */
  abort(ref: number): void {
    const served = this.#served.get(ref);
    served?.stop.abort(new ZaguanError("CANCELLED"));
    if (served) endQuestions(served);
  }

  /** The client's answer to a question; undefined if the client cannot be asked. */
  answer(ref: number, question: number, text: string | undefined): void {
    const served = this.#served.get(ref);
    const asked = served?.questions.get(question);
    served?.questions.delete(question);
    if (text === undefined) asked?.reject(new ZaguanError("CANCELLED"));
    else asked?.resolve(decodeAnswer(text, served?.source ?? ""));
  }

  async #run(ref: number, served: Served, wire: WireRequest, leftMs: number): Promise<Payload> {
    const { source, stop } = served;
    const reserved = (): Promise<void> => this.#reserved(ref, served);
    if (wire.asked === "request") return await this.#hub.serve(this.#request(ref, served, wire, leftMs), reserved);
    await reserved();
    if (wire.asked === "tools") return Payload.ofValue(await this.#hub.toolsOf(source, stop));
    const caller = wire.caller && decodeCaller(wire.caller, refuseQuestion);
    return encodeFace(await this.#hub.face(source, stop, { principal: wire.principal ?? NODE_PRINCIPAL, caller }));
  }

  #request(ref: number, served: Served, wire: WireRequest, leftMs: number): ServedRequest {
    const { method, name, language, priority, principal = NODE_PRINCIPAL, wantsProgress } = wire;
    const note = (kind: "progress" | "log", text: string): void => this.#machine.note(ref, kind, text);
    return {
      source: served.source,
      method,
      name,
      args: Payload.ofText(wire.args),
      meta: payload(wire.meta),
      params: payload(wire.params),
      language,
      priority,
      principal,
      door: "node",
      timeoutMs: leftMs,
      signal: served.stop,
      onProgress: wantsProgress ? (progress) => note("progress", progress.text) : undefined,
      onNotification: (said, params) => note("log", encodeMessage(said, params)),
      caller: wire.caller && decodeCaller(wire.caller, (...question) => this.#ask(ref, served, ...question)),
    };
  }

  #reserved(ref: number, served: Served): Promise<void> {
    served.hasTurn = true;
    this.#machine.turn(ref);
    return served.go.promise;
  }

  #ask(ref: number, served: Served, method: string, params: Payload, signal: CancelSignal): Promise<Payload> {
    // Nobody answers what is asked in a call that is over.
    if (signal.aborted || this.#served.get(ref) !== served) return refuseQuestion();
    const asked = Promise.withResolvers<Payload>();
    const question = this.#machine.ask(ref, encodeMessage(method, params));
    served.questions.set(question, asked);
    const takeBack = (): void => {
      served.questions.delete(question);
      asked.reject(new ZaguanError("CANCELLED"));
      this.#machine.withdraw(ref, question);
    };
    signal.addEventListener("abort", takeBack, { once: true });
    return asked.promise.finally(() => signal.removeEventListener("abort", takeBack));
  }

  #ended(ref: number, served: Served, outcome: Outcome): void {
    if (this.#served.get(ref) !== served) return;
    this.#served.delete(ref);
    endQuestions(served);
    if (served.hasTurn) this.#machine.finished(ref, outcome);
    else this.#machine.refused(ref, outcome);
  }
}

/** The client will not answer: a source that waited for it would keep its place in the queue for ever. */
function endQuestions({ questions }: Served): void {
  for (const asked of questions.values()) asked.reject(new ZaguanError("CANCELLED"));
  questions.clear();
}

function refuseQuestion(): Promise<Payload> {
  return Promise.reject(new ZaguanError("CANCELLED"));
}
