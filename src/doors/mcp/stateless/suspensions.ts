/**
 * Requests that wait for their client to come again, by the state that it was given. A state cannot be guessed and is good
 * for nobody but the principal it was given to, and for no other request than the one it was given for.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Caller, Principal } from "../../../core/call.ts";
import { ZaguanError } from "../../../errors.ts";
import type { CancelSignal } from "../../../light-abort.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { encodeNotification, memberString, memberText, type RpcCall } from "../../../protocol/json-rpc/message.ts";
import { progressSink } from "../progress.ts";
import type { Asker, RpcRequest } from "../target.ts";
import { introductionOf, StatelessCaller } from "./stateless-caller.ts";
import { SuspendedCall } from "./suspended-call.ts";

/** Sets the work going; what it says meanwhile goes to `notify`. */
export type Begin = (caller: Caller, signal: CancelSignal, notify: (message: string) => void) => Promise<Payload>;

interface Suspended {
  readonly call: SuspendedCall;
  readonly owner: string;
  readonly principalId: string;
}

/** In every state of this process, so that those of another hub behind us are left to it. */
const PREFIX = `zaguan.${randomBytes(6).toString("base64url")}.`;
/** How long a result is kept for a client that is late. */
const KEEP_MS = 60_000;
const MOST_OF_ONE = 32;
const RETRY_MS = 5_000;
/** Of a repeated request: they are not part of what is asked. */
const BESIDE: readonly string[] = ["_meta", "inputResponses", "requestState"];

/** How a message of progress begins, up to its params. */
const PROGRESS = encodeNotification("notifications/progress", "").slice(0, -1);

export class Suspensions {
  readonly #byState = new Map<string, Suspended>();
  readonly #limit: () => number;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#byState.size;
  }

  /**
   * Carries a request that may be asked back: begins it, or goes on with the one it repeats. `scope` tells apart what is
   * asked of different servers in the same words.
   */
  async carry(request: RpcRequest, by: Asker, begin: Begin, scope: string): Promise<string> {
    if (by.signal.aborted) throw new ZaguanError("CANCELLED");
    // Most requests are answered at once, and need no such proof.
    const owner = (): string => ownerOf(request, by.principal, scope);
    const resumed = this.#resume(request, owner);
    if (resumed) return this.#turnOf(resumed, by, owner, underTokenOf(request, by.notify));
    const introduction = introductionOf(request);
    if (introduction.canBeAsked) {
      return this.#turnOf(new SuspendedCall(introduction, by.principal.id), by, owner, by.notify, begin);
    }
    const caller = new StatelessCaller(introduction, by.principal.id);
    return (await caller.outcomeOf(begin(caller, by.signal, by.notify))).text;
  }

  /** @param begin if it has not begun yet */
  async #turnOf(
    call: SuspendedCall,
    { principal, signal }: Asker,
    owner: () => string,
    notify: Asker["notify"],
    begin?: Begin,
  ): Promise<string> {
    const release = call.listen(notify);
    if (begin) call.start((stop) => begin(call, stop, (message) => call.say(message)));
    try {
      const turn = await call.turn(signal);
      if (turn.kind === "done") return turn.result.text;
      return this.#suspend(call, owner(), principal.id, turn.inputRequests);
    } finally {
      release();
    }
  }

  close(): void {
    for (const { call } of this.#byState.values()) call.abandon();
  }

  /** A state that is not one of ours belongs to the source. */
  #resume(request: RpcRequest, owner: () => string): SuspendedCall | undefined {
    const state = memberString(request.text, request.members, "requestState");
    if (state === undefined || !state.startsWith(PREFIX)) return undefined;
    const suspended = this.#byState.get(state);
    if (suspended?.owner !== owner()) throw invalidState();
    this.#byState.delete(state);
    suspended.call.take(memberText(request.text, request.members, "inputResponses"));
    return suspended.call;
  }

  #suspend(call: SuspendedCall, owner: string, principalId: string, inputRequests: string): string {
    const ofPrincipal = [...this.#byState.values()].filter((each) => each.principalId === principalId).length;
    // A call that waits keeps its place at the source: one principal must leave some for others.
    if (this.#byState.size >= this.#limit() || ofPrincipal >= MOST_OF_ONE) {
      call.abandon();
      throw tooMany(ofPrincipal);
    }
    const state = PREFIX + randomBytes(24).toString("base64url");
    this.#byState.set(state, { call, owner, principalId });
    void call.settled.then(() => setTimeout(() => this.#byState.delete(state), KEEP_MS).unref());
    return `{"resultType":"input_required","inputRequests":${inputRequests},"requestState":"${state}"}`;
  }
}

/** Who asks what: a state is of no use to anybody else, nor for anything else. */
function ownerOf(call: RpcCall, principal: Principal, scope: string): string {
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
