/**
 * Requests of stateless clients: they are carried to their end, or to where their client has to come again. What it then
 * brings is good for the request that it repeats and for no other.
 */
import { createHash } from "node:crypto";
import { accountOf } from "../../../core/access.ts";
import type { Caller, Principal } from "../../../core/call.ts";
import type { SuspendedCalls } from "../../../core/shared/suspended-calls.ts";
import { ZaguanError } from "../../../errors.ts";
import type { CancelSignal } from "../../../light-abort.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { encodeNotification, memberString, memberText, type RpcCall } from "../../../protocol/json-rpc/message.ts";
import type { Resume, SessionNodes } from "../session-nodes.ts";
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

export interface SuspensionsSetup {
  limit(): number;
  readonly suspended: SuspendedCalls<SuspendedCall>;
  /** Where there are other nodes: which of them holds what a client comes back for. */
  readonly sessionNodes?: Pick<SessionNodes, "issuerOf" | "resumeWith"> | undefined;
}

export class Suspensions {
  readonly #setup: SuspensionsSetup;
  readonly #table: SuspendedCalls<SuspendedCall>;

  constructor(setup: SuspensionsSetup) {
    this.#setup = setup;
    this.#table = setup.suspended;
    setup.sessionNodes?.resumeWith(this.#table.door, (...back) => this.#resume(...back));
  }

  /**
   * Carries a request that may be asked back: begins it, or goes on with the one it repeats. `scope` tells apart what is
   * asked of different servers in the same words.
   */
  async carry(request: RpcRequest, by: Asker, begin: Begin, scope: string): Promise<string> {
    if (by.signal.aborted) throw new ZaguanError("CANCELLED");
    // Most requests are answered at once, and need no such proof.
    const proof = (): string => proofOf(request, by.principal, scope);
    const { id } = by.principal;
    const account = accountOf(by.principal);
    const state = memberString(request.text, request.members, "requestState");
    // A state that is not one of ours belongs to the source.
    if (state !== undefined && this.#table.isOurs(state)) {
      const inputResponses = memberText(request.text, request.members, "inputResponses");
      const back = { state, proof: proof(), account, inputResponses };
      const notify = underTokenOf(request, by.notify);
      const issuer = this.#setup.sessionNodes?.issuerOf(state);
      if (issuer) return await issuer.resume(this.#table.door, back, by.signal, notify);
      return await this.#resume(back, by.signal, notify);
    }
    const introduction = introductionOf(request);
    if (introduction.canBeAsked) {
      const call = new SuspendedCall(introduction, id);
      return this.#turnOf(call, { proof, account }, by.signal, by.notify, begin);
    }
    const caller = new StatelessCaller(introduction, id);
    return (await caller.outcomeOf(begin(caller, by.signal, by.notify))).text;
  }

  /** @param begin if it has not begun yet */
  async #turnOf(
    call: SuspendedCall,
    { proof, account }: { readonly account: string; proof(): string },
    signal: CancelSignal,
    notify: Asker["notify"],
    begin?: Begin,
  ): Promise<string> {
    const release = call.listen(notify);
    if (begin) call.start((stop) => begin(call, stop, (message) => call.say(message)));
    try {
      const turn = await call.turn(signal);
      if (turn.kind === "done") return turn.result.text;
      return this.#suspend(call, proof(), account, turn.inputRequests);
    } finally {
      release();
    }
  }

  close(): void {
    for (const call of this.#table.held()) call.abandon();
  }

  /** Goes on with a call that is held here. */
  async #resume(...[back, signal, notify]: Parameters<Resume>): Promise<string> {
    const { state, proof, account, inputResponses } = back;
    const call = this.#table.take(state, proof);
    if (!call) throw invalidState();
    call.take(inputResponses);
    return await this.#turnOf(call, { account, proof: () => proof }, signal, notify);
  }

  #suspend(call: SuspendedCall, proof: string, account: string, inputRequests: string): string {
    const ofAccount = this.#table.countOf(account);
    // A call that waits keeps its place at the source: one principal must leave some for others.
    if (this.#table.size >= this.#setup.limit() || ofAccount >= MOST_OF_ONE) {
      call.abandon();
      throw tooMany(ofAccount);
    }
    const state = this.#table.put(call, account, proof);
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
