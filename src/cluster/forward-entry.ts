/**
 * The entry's side of forwarded calls, from clients of this node to sources of another node: a state machine, longer than other
 * files. A call seeks its owner, is offered to it, and goes. It ends exactly once: with the owner's answer; as `not_sent` if no
 * `go` was sent; or as `unknown` if `go` was sent and the owner is gone, or silent until the deadline. While the bus or the
 * database is away, a call without a known owner ends as `not_sent` at once.
 */
import type { Outcome, ToEntry, ToOwner } from "./messages.ts";
import { IncomingParts } from "./parts.ts";
import { isSamePeer, type Owner, type Peer } from "./peer.ts";

export type EntryEffect =
  | { readonly do: "send"; readonly to: Peer; readonly message: ToOwner }
  /** Find out from the database who holds the key, then call `located`. */
  | { readonly do: "locate"; readonly key: string }
  | { readonly do: "ended"; readonly call: string; readonly outcome: Outcome }
  | { readonly do: "progress" | "log"; readonly call: string; readonly text: string }
  /** A question of the source to the call's client, whose answer is passed to `answer`. */
  | { readonly do: "ask"; readonly call: string; readonly question: number; readonly text: string }
  /** The source has taken the question back; `answer` is called all the same, and says that the client was told. */
  | { readonly do: "withdraw"; readonly call: string; readonly question: number };

interface EntryPorts {
  ownerOf(key: string): Owner | undefined;
  /** Records the owner that another node has named. */
  learn(key: string, owner: Owner): void;
  isAlive(peer: Peer): boolean;
  /** Why no owner can be found or reached at the moment; undefined if it is worth waiting. */
  obstacle(now: number): string | undefined;
}

export interface NewCall {
  /** Unique among all nodes and boots. */
  readonly call: string;
  readonly key: string;
  readonly leftMs: number;
  readonly body: string;
}

const FIRST_POLL_MS = 300;
const SLOWEST_POLL_MS = 4_000;
const FIRST_SEEK_MS = 50;
const SLOWEST_SEEK_MS = 500;
const MOST_CALLS = 50_000;
/** How many questions of one call are remembered with their answers, which are sent again if they were lost. */
const MOST_QUESTIONS = 64;
/** After how long a client may try again when the owner could not be reached. */
const TRY_AGAIN_MS = 1_000;
/** Why a call ends whose source no longer exists, in the words of `messages/en/details.ts`. */
const REMOVED = "it was removed";

interface Call extends NewCall {
  phase: "seeking" | "offered" | "going";
  deadlineAt: number;
  attempt: number;
  owner: Owner | undefined;
  /** The token of the reservation for which `go` was sent. */
  token: number | undefined;
  /** The owner that refused the last offer; it is asked again only after a wait. */
  refusedBy: Owner | undefined;
  /** Whether the source was removed since: if the owner refuses the call, no other will take it. */
  isRemoved: boolean;
  /** When the owner is polled, or sought again. */
  nextAt: number;
  pollMs: number;
  seekMs: number;
  lastNote: number;
  parts: IncomingParts;
  /** Questions of the source, each with its answer if there is one already. */
  readonly questions: Map<number, string | undefined>;
}

export class ForwardEntry {
  readonly #ports: EntryPorts;
  readonly #emit: (effect: EntryEffect) => void;
  readonly #calls = new Map<string, Call>();
  /** Calls without a known live owner, by key. */
  readonly #seeking = new Map<string, Set<Call>>();

  constructor(ports: EntryPorts, emit: (effect: EntryEffect) => void) {
    this.#ports = ports;
    this.#emit = emit;
  }

  get size(): number {
    return this.#calls.size;
  }

  start(start: NewCall, now: number): void {
    const call: Call = {
      ...start,
      phase: "seeking",
      deadlineAt: now + start.leftMs,
      attempt: 0,
      owner: undefined,
      token: undefined,
      refusedBy: undefined,
      isRemoved: false,
      nextAt: now,
      pollMs: FIRST_POLL_MS,
      seekMs: FIRST_SEEK_MS,
      lastNote: 0,
      parts: new IncomingParts(),
      questions: new Map(),
    };
    this.#calls.set(call.call, call);
    if (this.#calls.size > MOST_CALLS) this.#end(call, failure("NO_CAPACITY", "not_sent"));
    else this.#seek(call, now);
  }

  /** The client has left or cancelled the call. */
  cancel(id: string): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#sendCancel(call);
    this.#end(call, failure("CANCELLED", deliveryOf(call)));
  }

  /** Moves the deadline of a call; the owner is told at once, and again with every poll. */
  extend(id: string, leftMs: number, now: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    call.deadlineAt = now + leftMs;
    if (call.phase !== "seeking") this.#poll(call, now);
  }

  /** The client's answer to a question of the source. */
  answer(id: string, question: number, text: string): void {
    const call = this.#calls.get(id);
    if (!call?.questions.has(question)) return;
    call.questions.set(question, text);
    this.#sendAnswer(call, question, text);
  }

  /** The owner of the key may be known now: offers the calls that wait for it. */
  located(key: string, now: number): void {
    for (const call of [...(this.#seeking.get(key) ?? [])]) this.#seek(call, now);
  }

  /** The owner of the key is known but cannot be reached: ends the calls that wait for it. */
  unreachable(key: string, reason: string): void {
    for (const call of [...(this.#seeking.get(key) ?? [])]) this.#end(call, unavailable(key, reason));
  }

  /** The source was removed: calls that wait for an owner end, and those at an owner are offered to nobody else. */
  removed(key: string): void {
    for (const call of this.#calls.values()) if (call.key === key) call.isRemoved = true;
    this.unreachable(key, REMOVED);
  }

  /** A node is gone: its calls that may have begun end as `unknown`, the others are offered to the next owner. */
  gone(peer: Peer, now: number): void {
    for (const call of this.#callsAt(peer)) {
      if (call.phase === "going") this.#end(call, failure("OUTCOME_UNKNOWN", "unknown"));
      else this.#seek(call, now);
    }
  }

  /** NATS reports that nobody listens at this node. This is no proof, so it counts for offers only: to offer again does no harm. */
  unheard(node: string, now: number): void {
    const offered = [...this.#calls.values()].filter(({ phase, owner }) => phase === "offered" && owner?.node === node);
    for (const call of offered) this.#refused(call, now);
  }

  /** This message certainly never left. */
  undelivered(message: ToOwner, now: number): void {
    const call = this.#calls.get(message.call);
    if (!call || (message.kind !== "offer" && message.kind !== "go") || message.attempt !== call.attempt) return;
    if (call.phase === (message.kind === "go" ? "going" : "offered")) this.#refused(call, now);
  }

  /** To be called about every 50 ms. */
  tick(now: number): void {
    for (const call of [...this.#calls.values()]) {
      if (now >= call.deadlineAt) this.#expire(call);
      else if (now >= call.nextAt) {
        if (call.phase === "seeking") this.#seekAgain(call, now);
        else this.#poll(call, now);
      }
    }
  }

  received(from: Peer, message: ToEntry, now: number): void {
    const call = this.#calls.get(message.call);
    if (!call || !isSamePeer(call.owner, from)) this.#decline(from, message);
    else if ("attempt" in message) this.#receivedForAttempt(call, from, message, now);
    else if (message.token !== call.token) this.#decline(from, message);
    else this.#receivedForRun(call, message, now);
  }

  #receivedForAttempt(call: Call, from: Peer, message: Extract<ToEntry, { attempt: number }>, now: number): void {
    const isCurrent = message.attempt === call.attempt;
    if (message.kind === "ready") {
      if (isCurrent && call.phase === "offered") this.#go(call, message.token, now);
      else if (message.token !== call.token) this.#decline(from, message);
      return;
    }
    // After `go`, only a message about that very reservation proves that the call did not run.
    const isProof = call.phase === "offered" || (call.phase === "going" && message.token === call.token);
    if (!isCurrent || !isProof) return;
    if (message.kind === "void") {
      this.#seek(call, now);
      return;
    }
    if (message.owner) this.#ports.learn(call.key, message.owner);
    if (message.error) this.#end(call, message.error);
    else this.#refused(call, now);
  }

  #receivedForRun(call: Call, message: Exclude<ToEntry, { attempt: number }>, now: number): void {
    this.#resetPolling(call, now);
    if (message.kind === "end") this.#finished(call, message.outcome, now);
    else if (message.kind === "ask") this.#asked(call, message.question, message.text);
    else if (message.kind === "withdraw") this.#withdrawn(call, message.question);
    else if (message.kind === "part") {
      call.parts.take(message.index, message.text);
      this.#send(call, { kind: "taken", call: call.call, token: message.token, parts: call.parts.have });
    } else this.#note(call, message);
  }

  #finished(call: Call, outcome: Extract<ToEntry, { kind: "end" }>["outcome"], now: number): void {
    if (outcome.kind === "in-parts" && call.parts.have < outcome.of) {
      this.#poll(call, now);
      return;
    }
    this.#send(call, { kind: "taken", call: call.call, token: call.token ?? 0, parts: "all" });
    this.#end(call, outcome.kind === "in-parts" ? { kind: "result", text: call.parts.whole() } : outcome);
  }

  #note(call: Call, { kind, count, text }: Extract<ToEntry, { count: number }>): void {
    if (count <= call.lastNote) return;
    call.lastNote = count;
    this.#emit({ do: kind, call: call.call, text });
  }

  #asked(call: Call, question: number, text: string): void {
    const answer = call.questions.get(question);
    if (answer !== undefined) {
      this.#sendAnswer(call, question, answer);
      return;
    }
    if (call.questions.has(question)) return;
    call.questions.set(question, undefined);
    if (call.questions.size > MOST_QUESTIONS) forgetOldestAnswer(call);
    this.#emit({ do: "ask", call: call.call, question, text });
  }

  /** A withdrawal may overtake its question: the question then counts as answered, so that the client is not asked. */
  #withdrawn(call: Call, question: number): void {
    if (!call.questions.has(question)) call.questions.set(question, "");
    const answer = call.questions.get(question);
    if (answer === undefined) this.#emit({ do: "withdraw", call: call.call, question });
    else this.#sendAnswer(call, question, answer);
  }

  #seek(call: Call, now: number): void {
    call.phase = "seeking";
    call.token = undefined;
    const owner = this.#ports.ownerOf(call.key);
    const isOther = owner?.epoch !== call.refusedBy?.epoch;
    if (owner && isOther && this.#ports.isAlive(owner)) {
      this.#offer(call, owner, now);
      return;
    }
    const obstacle = call.isRemoved ? REMOVED : this.#ports.obstacle(now);
    if (obstacle !== undefined) {
      this.#end(call, unavailable(call.key, obstacle));
      return;
    }
    if (this.#seeking.get(call.key)?.has(call)) return;
    this.#seeking.set(call.key, (this.#seeking.get(call.key) ?? new Set()).add(call));
    this.#emit({ do: "locate", key: call.key });
    call.nextAt = now + call.seekMs;
  }

  /** The wait is over: the owner that refused may be asked again. */
  #seekAgain(call: Call, now: number): void {
    call.refusedBy = undefined;
    call.seekMs = Math.min(call.seekMs * 2, SLOWEST_SEEK_MS);
    this.#stopSeeking(call);
    this.#seek(call, now);
  }

  #refused(call: Call, now: number): void {
    call.refusedBy = call.owner;
    this.#seek(call, now);
  }

  #offer(call: Call, owner: Owner, now: number): void {
    this.#stopSeeking(call);
    const { call: id, key, body } = call;
    const attempt = ++call.attempt;
    call.phase = "offered";
    call.owner = owner;
    call.parts = new IncomingParts();
    this.#resetPolling(call, now);
    const leftMs = call.deadlineAt - now;
    this.#send(call, { kind: "offer", call: id, attempt, key, epoch: owner.epoch, leftMs, body });
  }

  /** Sends `go`: from here on the call may have run. */
  #go(call: Call, token: number, now: number): void {
    call.phase = "going";
    call.token = token;
    this.#resetPolling(call, now);
    const { call: id, attempt } = call;
    this.#send(call, { kind: "go", call: id, attempt, token, leftMs: call.deadlineAt - now });
  }

  #poll(call: Call, now: number): void {
    call.nextAt = now + call.pollMs;
    call.pollMs = Math.min(call.pollMs * 2, SLOWEST_POLL_MS);
    const { call: id, attempt, token } = call;
    this.#send(call, { kind: "poll", call: id, attempt, token, have: call.parts.have, leftMs: call.deadlineAt - now });
  }

  #resetPolling(call: Call, now: number): void {
    call.nextAt = now + FIRST_POLL_MS;
    call.pollMs = FIRST_POLL_MS * 2;
  }

  #expire(call: Call): void {
    this.#sendCancel(call);
    const isQueued = call.phase === "offered";
    this.#end(call, failure(isQueued ? "QUEUE_TIMEOUT" : "DEADLINE_EXCEEDED", deliveryOf(call)));
  }

  /** Answers a message about a call that has ended here or is offered to another owner now, so that its sender stops waiting. */
  #decline(from: Peer, message: ToEntry): void {
    const { call } = message;
    const decline = (answer: ToOwner) => this.#emit({ do: "send", to: from, message: answer });
    if (message.kind === "ready") decline({ kind: "cancel", call, attempt: message.attempt, token: message.token });
    else if (message.kind === "end" || message.kind === "part")
      decline({ kind: "taken", call, token: message.token, parts: "all" });
  }

  #sendCancel(call: Call): void {
    const { call: id, attempt, token } = call;
    if (call.phase !== "seeking") this.#send(call, { kind: "cancel", call: id, attempt, token });
  }

  #sendAnswer(call: Call, question: number, text: string): void {
    if (call.token !== undefined)
      this.#send(call, { kind: "answer", call: call.call, token: call.token, question, text });
  }

  #send(call: Call, message: ToOwner): void {
    if (call.owner) this.#emit({ do: "send", to: call.owner, message });
  }

  #end(call: Call, outcome: Outcome): void {
    this.#calls.delete(call.call);
    this.#stopSeeking(call);
    this.#emit({ do: "ended", call: call.call, outcome });
  }

  #stopSeeking(call: Call): void {
    const seeking = this.#seeking.get(call.key);
    if (seeking?.delete(call) && seeking.size === 0) this.#seeking.delete(call.key);
  }

  #callsAt(peer: Peer): Call[] {
    return [...this.#calls.values()].filter(({ phase, owner }) => phase !== "seeking" && isSamePeer(owner, peer));
  }
}

/** The owner lets far fewer be open at a time, and has taken the oldest answer long since. */
function forgetOldestAnswer({ questions }: Call): void {
  for (const [question, answer] of questions) if (answer !== undefined) return void questions.delete(question);
}

function deliveryOf({ phase }: Call): "not_sent" | "unknown" {
  return phase === "going" ? "unknown" : "not_sent";
}

function failure(code: Extract<Outcome, { kind: "error" }>["code"], delivery: "not_sent" | "unknown"): Outcome {
  return { kind: "error", code, delivery };
}

/** The error for a call that was not sent and may be tried again. */
function unavailable(source: string, reason: string): Outcome {
  const text = JSON.stringify({ params: { source, reason }, retryAfterMs: TRY_AGAIN_MS });
  return { kind: "error", code: "SOURCE_UNAVAILABLE", delivery: "not_sent", text };
}
