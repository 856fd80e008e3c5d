/**
 * Requests of stateless clients: they are carried to their end, or to where their client has to come again. What it then
 * brings is good for the request that it repeats and for no other.
 */
import { createHash } from "node:crypto";
import type { Caller, Principal } from "../../../core/call.ts";
import type { SuspendedCalls } from "../../../core/shared/suspended-calls.ts";
import { ZaguanError } from "../../../errors.ts";
import type { CancelSignal } from "../../../light-abort.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { encodeNotification, memberString, memberText, type RpcCall } from "../../../protocol/json-rpc/message.ts";
import type { Asker, RpcRequest } from "../target.ts";
import { progressSink } from "../tool-call.ts";
import { introductionOf, StatelessCaller } from "./stateless-caller.ts";
import { SuspendedCall } from "./suspended-call.ts";

/** Sets the work going; what it says meanwhile goes to `notify`. */
export type Begin = (caller: Caller, signal: CancelSignal, notify: (message: string) => void) => Promise<Payload>;

/** How long a result is kept for a client that is late. */
const KEEP_MS = 60_000;
const MOST_OF_ONE = 32;
const RETRY_MS = 5_000;
/** Of a repeated request: they are not part of what is asked. */
const BESIDE: readonly string[] = ["_meta", "inputResponses", "requestState"];

/** How a message of progress begins, up to its params. */
const PROGRESS = encodeNotification("notifications/progress", "").slice(0, -1);

export class Suspensions {
  readonly #limit: () => number;
  readonly #table: SuspendedCalls<SuspendedCall>;

  constructor(limit: () => number, table: SuspendedCalls<SuspendedCall>) {
    this.#limit = limit;
    this.#table = table;
  }

  /**
   * Carries a request that may be asked back: begins it, or goes on with the one it repeats. `scope` tells apart what is
   * asked of different servers in the same words.
   */
  async carry(request: RpcRequest, by: Asker, begin: Begin, scope: string): Promise<string> {
    if (by.signal.aborted) throw new ZaguanError("CANCELLED");
    // Most requests are answered at once, and need no such proof.
    const proof = (): string => proofOf(request, by.principal, scope);
    const resumed = this.#resume(request, proof);
    if (resumed) return this.#turnOf(resumed, by, proof, underTokenOf(request, by.notify));
    const introduction = introductionOf(request);
    if (introduction.canBeAsked) {
      return this.#turnOf(new SuspendedCall(introduction, by.principal.id), by, proof, by.notify, begin);
    }
    const caller = new StatelessCaller(introduction, by.principal.id);
    return (await caller.outcomeOf(begin(caller, by.signal, by.notify))).text;
  }

  /** @param begin if it has not begun yet */
  async #turnOf(
    call: SuspendedCall,
    { principal, signal }: Asker,
    proof: () => string,
    notify: Asker["notify"],
    begin?: Begin,
  ): Promise<string> {
    const release = call.listen(notify);
    if (begin) call.start((stop) => begin(call, stop, (message) => call.say(message)));
    try {
      const turn = await call.turn(signal);
      if (turn.kind === "done") return turn.result.text;
      return this.#suspend(call, proof(), principal.id, turn.inputRequests);
    } finally {
      release();
    }
  }

  close(): void {
    for (const call of this.#table.held()) call.abandon();
  }

  /** A state that is not one of ours belongs to the source. */
  #resume(request: RpcRequest, proof: () => string): SuspendedCall | undefined {
    const state = memberString(request.text, request.members, "requestState");
    if (state === undefined || !this.#table.isOurs(state)) return undefined;
    const call = this.#table.take(state, proof());
    if (!call) throw invalidState();
    call.take(memberText(request.text, request.members, "inputResponses"));
    return call;
  }

  #suspend(call: SuspendedCall, proof: string, principalId: string, inputRequests: string): string {
    const ofPrincipal = this.#table.countOf(principalId);
    // A call that waits keeps its place at the source: one principal must leave some for others.
    if (this.#table.size >= this.#limit() || ofPrincipal >= MOST_OF_ONE) {
      call.abandon();
      throw tooMany(ofPrincipal);
    }
    const state = this.#table.put(call, principalId, proof);
    void call.settled.then(() => setTimeout(() => this.#table.drop(state), KEEP_MS).unref());
    return `{"resultType":"input_required","inputRequests":${inputRequests},"requestState":"${state}"}`;
  }
}

/** Who asks what: a state is of no use to anybody else, nor for anything else. */
function proofOf(call: RpcCall, principal: Principal, scope: string): string {
  const hash = createHash("sha256").update(JSON.stringify([principal.id, scope, call.method]));
  for (const { key, start, end } of call.members) {
    if (!BESIDE.includes(key)) hash.update(`${JSON.stringify(key)}:${call.text.slice(start, end)},`);
  }
  return hash.digest("base64");
}

/** The work began under the token of the first request; its client now waits under that of another, if under any. */
function underTokenOf(request: RpcCall, notify: (message: string) => void): (message: string) => void {
  const progress = progressSink(request, notify);
  return (message) => {
    if (!message.startsWith(PROGRESS)) notify(message);
    else progress?.(Payload.ofText(message.slice(PROGRESS.length, -1)));
  };
}

function invalidState(): ZaguanError {
  const reason = "'requestState' is unknown, over, or belongs to another request";
  return new ZaguanError("INVALID_PARAMS", { params: { reason } });
}

function tooMany(waiting: number): ZaguanError {
  return new ZaguanError("NO_CAPACITY", {
    params: { source: "suspended calls", waiting, seconds: RETRY_MS / 1_000 },
    retryAfterMs: RETRY_MS,
  });
}
