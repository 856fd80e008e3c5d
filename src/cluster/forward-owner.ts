/**
 * The owner's side of forwarded calls, which other nodes offer for sources of this node: a state machine, longer than other files.
 * An offer is put into the source's queue, which is outside this file; when its turn comes, a slot is reserved for it until `go`.
 * The lease is checked at the offer and at `go`. A call that has run is remembered until the entry has taken the answer, or until
 * some time after the deadline.
 *
 * `void` is sent for a reservation only while it is certain that its call did not run. Of calls that ran and were forgotten before
 * their answer was taken, only the highest token is remembered: an entry that asks about any token up to it gets `unknown`.
 */
import type { Outcome, ToEntry, ToOwner } from "./messages.ts";
import { PART_LENGTH, split, WINDOW } from "./parts.ts";
import { isSamePeer, type Owner, type Peer } from "./peer.ts";

/** `ref` is the number of a call for the hub, and the token of its reservation for the entry. */
export type OwnerEffect =
  | { readonly do: "send"; readonly to: Peer; readonly message: ToEntry }
  /** Put the call into the source's queue, then call `turn` or `refused`. */
  | { readonly do: "enqueue"; readonly ref: number; readonly offer: Offer }
  /** Take the call out of the queue, or give its slot to the next. */
  | { readonly do: "leave"; readonly ref: number }
  /** Send the call to the source, then call `finished`. Nothing was sent to the source before. */
  | { readonly do: "execute"; readonly ref: number }
  /** Cancel the running call; nobody waits for it any more. */
  | { readonly do: "abort"; readonly ref: number }
  /** The client's answer to a question of the source; undefined if the client cannot be asked. */
  | { readonly do: "answer"; readonly ref: number; readonly question: number; readonly text: string | undefined }
  /** No call waits or runs any more for a key that drains. */
  | { readonly do: "drained"; readonly key: string };

type Offer = Extract<ToOwner, { kind: "offer" }>;

export interface OwnerPorts {
  isLive(key: string, epoch: number, now: number): boolean;
  /** The owner of the key, as far as this node knows. */
  ownerOf(key: string): Owner | undefined;
}

/** How long a slot is reserved; if no `go` has come by then, the slot is given to the next call. */
const GO_WAIT_MS = 1_000;
const FIRST_RESEND_MS = 250;
const SLOWEST_RESEND_MS = 4_000;
/** How long an answer is kept after the deadline of its call. */
const KEEP_MS = 5_000;
/** How long an entry may be silent before its running calls are abandoned. */
const ABANDON_MS = 10_000;
const MOST_CALLS = 20_000;
const MOST_KEPT = 2_000;
const MOST_OPEN_QUESTIONS = 16;

interface Call {
  readonly ref: number;
  readonly entry: Peer;
  readonly offer: Offer;
  phase: "queued" | "reserved" | "running" | "done";
  deadlineAt: number;
  /** In phase "reserved": when the slot is given up. In phase "done": when the answer is sent again. */
  nextAt: number;
  resendMs: number;
  notes: number;
  questions: number;
  /** Questions to the client without an answer so far, by number; undefined where the source has taken its question back. */
  readonly open: Map<number, string | undefined>;
  outcome: Outcome | undefined;
  parts: readonly string[];
  taken: number;
}

export class ForwardOwner {
  readonly #ports: OwnerPorts;
  readonly #emit: (effect: OwnerEffect) => void;
  readonly #calls = new Map<number, Call>();
  readonly #byId = new Map<string, Call>();
  /** Calls that wait or run, by key. */
  readonly #active = new Map<string, Set<Call>>();
  readonly #draining = new Set<string>();
  /** Entries that have fallen silent, by boot id. */
  readonly #silent = new Map<string, { readonly entry: Peer; readonly since: number }>();
  #kept = 0;
  #lastRef = 0;
  /** The highest token of a call that has run and was forgotten before its answer was taken. */
  #highestForgotten = 0;

  constructor(ports: OwnerPorts, emit: (effect: OwnerEffect) => void) {
    this.#ports = ports;
    this.#emit = emit;
  }

  get size(): number {
    return this.#calls.size;
  }

  isBusy(key: string): boolean {
    return this.#active.has(key);
  }

  received(from: Peer, message: ToOwner, now: number): void {
    if (message.kind === "offer") {
      this.#offered(from, message, now);
      return;
    }
    const call = this.#find(from, message);
    if (!call) this.#unknown(from, message);
    else if (message.kind === "go") this.#go(call, message.leftMs, now);
    else if (message.kind === "cancel") this.#drop(call);
    else if (message.kind === "answer") this.#answered(call, message.question, message.text);
    else if (message.kind === "poll") this.#polled(call, message, now);
    else this.#taken(call, message.parts, now);
  }

  /** The queue has reached the call, and a slot is free for it. */
  turn(ref: number, now: number): void {
    const call = this.#calls.get(ref);
    if (call?.phase !== "queued") {
      this.#emit({ do: "leave", ref });
      return;
    }
    if (!this.#isLive(call, now)) {
      this.#refuse(call);
      return;
    }
    call.phase = "reserved";
    call.nextAt = now + GO_WAIT_MS;
    this.#sendReady(call);
  }

  /** The queue refuses the call. */
  refused(ref: number, error: Outcome): void {
    const call = this.#calls.get(ref);
    if (call?.phase === "queued") this.#refuse(call, error);
  }

  progress(ref: number, text: string): void {
    this.#note(ref, "progress", text);
  }

  log(ref: number, text: string): void {
    this.#note(ref, "log", text);
  }

  /** The source asks the client something; returns the number of the question, which the answer repeats. */
  ask(ref: number, text: string): number {
    const call = this.#calls.get(ref);
    const question = call ? ++call.questions : 0;
    if (call?.phase !== "running" || call.open.size >= MOST_OPEN_QUESTIONS)
      this.#emit({ do: "answer", ref, question, text: undefined });
    else {
      call.open.set(question, text);
      this.#sendAsk(call, question, text);
    }
    return question;
  }

  /** The source takes a question back. The entry is told again with every poll, until it answers. */
  withdraw(ref: number, question: number): void {
    const call = this.#calls.get(ref);
    if (!call?.open.has(question)) return;
    call.open.set(question, undefined);
    this.#sendAsk(call, question, undefined);
  }

  finished(ref: number, outcome: Outcome, now: number): void {
    const call = this.#calls.get(ref);
    if (call?.phase === "running") this.#done(call, outcome, now);
  }

  /** The lease of the key is over and its processes are ended: running calls end with an unknown outcome. */
  lost(key: string, now: number): void {
    for (const call of [...(this.#active.get(key) ?? [])]) {
      if (call.phase === "running") this.#giveUp(call, "OUTCOME_UNKNOWN", now);
      else this.#refuse(call);
    }
    this.#draining.delete(key);
  }

  /** Refuses new calls for the key; `drained` follows when the running ones have ended. */
  drain(key: string): void {
    this.#draining.add(key);
    for (const call of [...(this.#active.get(key) ?? [])]) if (call.phase !== "running") this.#refuse(call);
    this.#checkDrained(key);
  }

  /** An entry is gone: its waiting calls are dropped. If it is only silent, it may come back for those that run or have run. */
  gone(entry: Peer, isOver: boolean, now: number): void {
    if (!isOver) this.#silent.set(entry.boot, { entry, since: now });
    for (const call of this.#callsOf(entry)) if (isOver || isWaiting(call)) this.#abandon(call);
  }

  came(entry: Peer): void {
    this.#silent.delete(entry.boot);
  }

  /** To be called about every 50 ms. */
  tick(now: number): void {
    for (const [boot, { entry, since }] of this.#silent) {
      if (now - since < ABANDON_MS) continue;
      this.#silent.delete(boot);
      for (const call of this.#callsOf(entry)) this.#abandon(call);
    }
    for (const call of [...this.#calls.values()]) this.#tickCall(call, now);
  }

  #tickCall(call: Call, now: number): void {
    if (call.phase === "done") {
      if (now >= call.deadlineAt + KEEP_MS) this.#forget(call);
      else if (now >= call.nextAt) this.#resend(call, now);
    } else if (now >= call.deadlineAt) {
      if (call.phase === "running") this.#giveUp(call, "DEADLINE_EXCEEDED", now);
      else this.#refuse(call);
    } else if (call.phase === "reserved" && now >= call.nextAt) this.#void(call);
  }

  #offered(from: Peer, offer: Offer, now: number): void {
    const known = this.#byId.get(offer.call);
    if (known && (known.offer.attempt >= offer.attempt || known.phase === "running" || known.phase === "done")) return;
    if (known) this.#remove(known, true);
    const call = this.#newCall(from, offer, now);
    if (!this.#isLive(call, now) || this.#draining.has(offer.key)) {
      this.#sendNo(call);
      return;
    }
    if (this.#calls.size >= MOST_CALLS) {
      this.#sendNo(call, failure("NO_CAPACITY", "not_sent"));
      return;
    }
    this.#calls.set(call.ref, call);
    this.#byId.set(offer.call, call);
    this.#active.set(offer.key, (this.#active.get(offer.key) ?? new Set()).add(call));
    this.#emit({ do: "enqueue", ref: call.ref, offer });
  }

  #newCall(entry: Peer, offer: Offer, now: number): Call {
    return {
      ref: ++this.#lastRef,
      entry,
      offer,
      phase: "queued",
      deadlineAt: now + offer.leftMs,
      nextAt: 0,
      resendMs: FIRST_RESEND_MS,
      notes: 0,
      questions: 0,
      open: new Map(),
      outcome: undefined,
      parts: [],
      taken: 0,
    };
  }

  #go(call: Call, leftMs: number, now: number): void {
    if (call.phase !== "reserved") return;
    if (!this.#isLive(call, now)) {
      this.#refuse(call);
      return;
    }
    call.phase = "running";
    call.deadlineAt = now + leftMs;
    this.#emit({ do: "execute", ref: call.ref });
  }

  #answered(call: Call, question: number, text: string): void {
    const isWanted = call.open.get(question) !== undefined;
    call.open.delete(question);
    if (isWanted) this.#emit({ do: "answer", ref: call.ref, question, text });
  }

  #polled(call: Call, { token, have, leftMs }: Extract<ToOwner, { kind: "poll" }>, now: number): void {
    if (call.phase !== "done") call.deadlineAt = now + leftMs;
    if (call.phase === "reserved") {
      // With a token, `go` was sent and is lost or late: the reservation is voided, so that it has no effect if it still arrives.
      if (token === undefined) this.#sendReady(call);
      else this.#void(call);
    } else if (call.phase === "running") for (const [question, text] of call.open) this.#sendAsk(call, question, text);
    else if (call.phase === "done") {
      call.taken = Math.max(call.taken, have);
      this.#resend(call, now);
    }
  }

  #taken(call: Call, parts: number | "all", now: number): void {
    if (call.phase !== "done") return;
    if (parts === "all") {
      this.#remove(call, false);
      return;
    }
    if (parts <= call.taken) return;
    const sent = Math.min(call.parts.length, call.taken + WINDOW);
    call.taken = parts;
    this.#resetResend(call, now);
    this.#sendParts(call, sent);
  }

  /** Answers a message about an unknown call: its offer never arrived, it was given up, or it has run and was forgotten. */
  #unknown(from: Peer, message: ToOwner): void {
    if (message.kind !== "go" && message.kind !== "poll") return;
    const { call, attempt, token } = message;
    if (token !== undefined && token <= this.#highestForgotten)
      this.#emit({
        do: "send",
        to: from,
        message: { kind: "end", call, token, outcome: failure("OUTCOME_UNKNOWN", "unknown") },
      });
    else this.#emit({ do: "send", to: from, message: { kind: "void", call, attempt, token } });
  }

  #done(call: Call, outcome: Outcome, now: number): void {
    call.phase = "done";
    call.outcome = outcome;
    call.open.clear();
    if (outcome.kind === "result" && outcome.text.length > PART_LENGTH) call.parts = split(outcome.text);
    this.#deactivate(call);
    this.#kept++;
    for (const oldest of this.#calls.values()) {
      if (this.#kept <= MOST_KEPT) break;
      if (oldest.phase === "done") this.#forget(oldest);
    }
    this.#resetResend(call, now);
    this.#sendParts(call, 0);
  }

  #giveUp(call: Call, code: "OUTCOME_UNKNOWN" | "DEADLINE_EXCEEDED", now: number): void {
    this.#emit({ do: "abort", ref: call.ref });
    this.#done(call, failure(code, "unknown"), now);
  }

  #resend(call: Call, now: number): void {
    call.nextAt = now + call.resendMs;
    call.resendMs = Math.min(call.resendMs * 2, SLOWEST_RESEND_MS);
    this.#sendParts(call, call.taken);
  }

  #resetResend(call: Call, now: number): void {
    call.resendMs = FIRST_RESEND_MS;
    call.nextAt = now + FIRST_RESEND_MS;
  }

  /** Sends the parts from index `from` to the end of the window and, if that is the last part, the outcome. */
  #sendParts(call: Call, from: number): void {
    const { offer, ref: token, parts, outcome } = call;
    const until = Math.min(parts.length, call.taken + WINDOW);
    for (let index = from; index < until; index++)
      this.#send(call, { kind: "part", call: offer.call, token, index, of: parts.length, text: parts[index] ?? "" });
    if (until < parts.length || !outcome) return;
    const sent = parts.length > 0 ? ({ kind: "in-parts", of: parts.length } as const) : outcome;
    this.#send(call, { kind: "end", call: offer.call, token, outcome: sent });
  }

  #note(ref: number, kind: "progress" | "log", text: string): void {
    const call = this.#calls.get(ref);
    if (call?.phase !== "running") return;
    this.#send(call, { kind, call: call.offer.call, token: ref, count: ++call.notes, text });
  }

  #sendReady(call: Call): void {
    const { offer, ref: token } = call;
    this.#send(call, { kind: "ready", call: offer.call, attempt: offer.attempt, token });
  }

  #sendAsk({ ref: token, entry, offer: { call } }: Call, question: number, text: string | undefined): void {
    const of = { call, token, question };
    const message: ToEntry = text === undefined ? { kind: "withdraw", ...of } : { kind: "ask", ...of, text };
    this.#emit({ do: "send", to: entry, message });
  }

  #sendNo(call: Call, error?: Outcome): void {
    const { call: id, attempt, key } = call.offer;
    const token = call.phase === "queued" ? undefined : call.ref;
    this.#send(call, { kind: "no", call: id, attempt, token, owner: this.#ports.ownerOf(key), error });
  }

  #send(call: Call, message: ToEntry): void {
    this.#emit({ do: "send", to: call.entry, message });
  }

  #refuse(call: Call, error?: Outcome): void {
    this.#remove(call, true);
    this.#sendNo(call, error);
  }

  #void(call: Call): void {
    this.#remove(call, true);
    const { call: id, attempt } = call.offer;
    this.#send(call, { kind: "void", call: id, attempt, token: call.ref });
  }

  /** The entry has cancelled the call, and will not ask for it again. */
  #drop(call: Call): void {
    if (call.phase === "running") this.#emit({ do: "abort", ref: call.ref });
    this.#remove(call, isWaiting(call));
  }

  /** The entry is gone. If it was only paused, it may come back and ask, even after a newer process has taken its name. */
  #abandon(call: Call): void {
    if (!isWaiting(call)) this.#highestForgotten = Math.max(this.#highestForgotten, call.ref);
    this.#drop(call);
  }

  /** The call has run, and the entry did not take the answer in time. */
  #forget(call: Call): void {
    this.#highestForgotten = Math.max(this.#highestForgotten, call.ref);
    this.#remove(call, false);
  }

  #remove(call: Call, hasPlace: boolean): void {
    this.#calls.delete(call.ref);
    if (this.#byId.get(call.offer.call) === call) this.#byId.delete(call.offer.call);
    if (call.phase === "done") this.#kept--;
    if (hasPlace) this.#emit({ do: "leave", ref: call.ref });
    this.#deactivate(call);
  }

  #deactivate(call: Call): void {
    const { key } = call.offer;
    const active = this.#active.get(key);
    if (!active?.delete(call) || active.size > 0) return;
    this.#active.delete(key);
    this.#checkDrained(key);
  }

  #checkDrained(key: string): void {
    if (this.#draining.has(key) && !this.#active.has(key)) this.#emit({ do: "drained", key });
  }

  #find(from: Peer, message: Exclude<ToOwner, Offer>): Call | undefined {
    const token = message.token;
    const call = token === undefined ? this.#byId.get(message.call) : this.#calls.get(token);
    if (call?.offer.call !== message.call || !isSamePeer(call.entry, from)) return undefined;
    return "attempt" in message && message.attempt !== call.offer.attempt ? undefined : call;
  }

  #isLive({ offer }: Call, now: number): boolean {
    return this.#ports.isLive(offer.key, offer.epoch, now);
  }

  #callsOf(entry: Peer): Call[] {
    return [...this.#calls.values()].filter((call) => isSamePeer(call.entry, entry));
  }
}

function isWaiting({ phase }: Call): boolean {
  return phase === "queued" || phase === "reserved";
}

function failure(
  code: "NO_CAPACITY" | "OUTCOME_UNKNOWN" | "DEADLINE_EXCEEDED",
  delivery: "not_sent" | "unknown",
): Outcome {
  return { kind: "error", code, delivery };
}
