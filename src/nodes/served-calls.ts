/**
 * The owner's side of calls between nodes: what another node has offered waits in the source's own queue, with the priorities
 * and the fairness that calls of this node have, and runs when that node has said `go`. When to do what is the machine's
 * affair (`cluster/forward-owner.ts`); `ref` is its number for a call.
 */
import type { Outcome, ToOwner } from "../cluster/messages.ts";
import type { ServedRequest, ToolDefinition } from "../core/call.ts";
import type { FaceAsker } from "../core/gateway.ts";
import { ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import { decodeAnswer, decodeCaller, encodeFace, encodeSaid, failed, payload, type WireRequest } from "./wire.ts";

export interface ServingHub {
  /** `reserved` is called when its turn has come, and resolves when it may run. */
  serve(request: ServedRequest, reserved: () => Promise<void>): Promise<Payload>;
  toolsOf(source: string, signal: LightAbort): Promise<readonly ToolDefinition[]>;
  face(source: string, signal: LightAbort, asker?: FaceAsker): Promise<ServerFace | undefined>;
}

/** What the machine wants to hear. */
interface OwnerMachine {
  turn(ref: number): void;
  refused(ref: number, error: Outcome): void;
  note(ref: number, kind: "progress" | "log", text: string): void;
  /** Gives the number by which the answer comes. */
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

/** Of those who call without being known to anybody, as a hub that asks for lists. */
const NODE = { id: "node", kind: "local", name: "node" } as const;

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
      ({ text }) => this.#over(ref, served, { kind: "result", text }),
      (cause) => this.#over(ref, served, failed(cause)),
    );
  }

  /** It will not run: its place goes to the next. */
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

  /** It runs, and nobody waits for it any more. */
  abort(ref: number): void {
    const served = this.#served.get(ref);
    served?.stop.abort(new ZaguanError("CANCELLED"));
    if (served) endQuestions(served);
  }

  /** Without a text the client cannot be asked. */
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
    const caller = wire.caller && decodeCaller(wire.caller, unasked);
    return encodeFace(await this.#hub.face(source, stop, { principal: wire.principal ?? NODE, caller }));
  }

  #request(ref: number, served: Served, wire: WireRequest, leftMs: number): ServedRequest {
    const { method, name, language, priority, principal = NODE, wantsProgress } = wire;
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
      onNotification: (said, params) => note("log", encodeSaid(said, params)),
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
    if (signal.aborted || this.#served.get(ref) !== served) return unasked();
    const asked = Promise.withResolvers<Payload>();
    // The machine may answer before it has given the number, where nobody can be asked.
    const question = this.#machine.ask(ref, encodeSaid(method, params));
    served.questions.set(question, asked);
    const takeBack = (): void => {
      served.questions.delete(question);
      asked.reject(new ZaguanError("CANCELLED"));
      this.#machine.withdraw(ref, question);
    };
    signal.addEventListener("abort", takeBack, { once: true });
    return asked.promise.finally(() => signal.removeEventListener("abort", takeBack));
  }

  #over(ref: number, served: Served, outcome: Outcome): void {
    if (this.#served.get(ref) !== served) return;
    this.#served.delete(ref);
    endQuestions(served);
    if (served.hasTurn) this.#machine.finished(ref, outcome);
    else this.#machine.refused(ref, outcome);
  }
}

/** No answer will come: a source that waits for one would keep its place for ever. */
function endQuestions({ questions }: Served): void {
  for (const asked of questions.values()) asked.reject(new ZaguanError("CANCELLED"));
  questions.clear();
}

function unasked(): Promise<Payload> {
  return Promise.reject(new ZaguanError("CANCELLED"));
}
