/**
 * The calls that other nodes have offered for what this node holds: a state machine, longer than other files. The queue is
 * outside: an offer is put into it, and when its turn comes a slot is kept for it until `go`. The lease is checked at the offer
 * and at `go`. What has run is remembered until the entry has taken the answer, or its deadline is well over.
 *
 * `void` is said of a reservation only while it is certain that it did not run. Of those that ran and were forgotten without
 * being taken only the highest token is remembered: up to it the answer is `unknown`.
 */
import type { Outcome, ToEntry, ToOwner } from "./messages.ts";
import { cut, PART_LENGTH, WINDOW } from "./parts.ts";
import { isSamePeer, type Owner, type Peer } from "./peer.ts";

/** `ref` names a call to the hub, and is the token of its reservation. */
export type OwnerEffect =
  | { readonly do: "send"; readonly to: Peer; readonly message: ToEntry }
  /** Put it into the source's queue, then call `turn`, or `refused`. */
  | { readonly do: "enqueue"; readonly ref: number; readonly offer: Offer }
  /** Take it out of the queue, or give its slot to the next. */
  | { readonly do: "leave"; readonly ref: number }
  /** Hand it to the source, then call `finished`. Nothing was handed to it before. */
  | { readonly do: "execute"; readonly ref: number }
  /** It runs, and nobody waits for it any more. */
  | { readonly do: "abort"; readonly ref: number }
  /** The client's answer to a question of the source; undefined where it cannot be asked. */
  | { readonly do: "answer"; readonly ref: number; readonly question: number; readonly text: string | undefined }
  /** Nothing waits or runs for a key that drains. */
  | { readonly do: "drained"; readonly key: string };

type Offer = Extract<ToOwner, { kind: "offer" }>;

export interface OwnerPorts {
  isLive(key: string, epoch: number, now: number): boolean;
  /** Who holds it, to the best of this node's knowledge. */
  ownerOf(key: string): Owner | undefined;
}

/** A `go` that has not come by then was lost: the slot is given to the next. */
const GO_WAIT_MS = 1_000;
const FIRST_RESEND_MS = 250;
const SLOWEST_RESEND_MS = 4_000;
/** How long an answer is kept after the call's deadline. */
const KEEP_MS = 5_000;
/** How long a silent entry may be gone before its running calls are given up. */
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
  /** Reserved: when the slot is given up. Done: when the answer is sent again. */
  nextAt: number;
  resendMs: number;
  notes: number;
  questions: number;
  /** Without an answer so far; undefined where the source has taken its question back. */
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
  readonly #active = new Map<string, Set<Call>>();
  readonly #draining = new Set<string>();
  readonly #silent = new Map<string, { readonly entry: Peer; readonly since: number }>();
  #kept = 0;
  #lastRef = 0;
  /** Up to this token some have run and are forgotten. */
  #forgotten = 0;

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

  /** The queue has come to it, and its slot is free. */
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

  /** The queue does not take it. */
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

  /** The source asks the client something; gives the question's number, by which the answer comes. */
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

  /** The lease of the key is over, and with it its children: what ran there ended nobody knows how. */
  lost(key: string, now: number): void {
    for (const call of [...(this.#active.get(key) ?? [])]) {
      if (call.phase === "running") this.#giveUp(call, "OUTCOME_UNKNOWN", now);
      else this.#refuse(call);
    }
    this.#draining.delete(key);
  }

  /** No new calls for it; `drained` follows when the running ones have ended. */
  drain(key: string): void {
    this.#draining.add(key);
    for (const call of [...(this.#active.get(key) ?? [])]) if (call.phase !== "running") this.#refuse(call);
    this.#checkDrained(key);
  }

  /** An entry is gone: what has not begun is given up. If it is only silent, it may come back for what runs or has run. */
  gone(entry: Peer, isOver: boolean, now: number): void {
    if (!isOver) this.#silent.set(entry.boot, { entry, since: now });
    for (const call of this.#of(entry)) if (isOver || isWaiting(call)) this.#abandon(call);
  }

  came(entry: Peer): void {
    this.#silent.delete(entry.boot);
  }

  /** To be called every 50 ms or so. */
  tick(now: number): void {
    for (const [boot, { entry, since }] of this.#silent) {
      if (now - since < ABANDON_MS) continue;
      this.#silent.delete(boot);
      for (const call of this.#of(entry)) this.#abandon(call);
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
      // With a token `go` was said; it did not come before this, and must not be heard after it.
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
    this.#soon(call, now);
    this.#sendParts(call, sent);
  }

  /** A message about a call that is not here: one that never came, was given up, or has run and is forgotten. */
  #unknown(from: Peer, message: ToOwner): void {
    if (message.kind !== "go" && message.kind !== "poll") return;
    const { call, attempt, token } = message;
    if (token !== undefined && token <= this.#forgotten)
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
    if (outcome.kind === "result" && outcome.text.length > PART_LENGTH) call.parts = cut(outcome.text);
    this.#deactivate(call);
    this.#kept++;
    for (const oldest of this.#calls.values()) {
      if (this.#kept <= MOST_KEPT) break;
      if (oldest.phase === "done") this.#forget(oldest);
    }
    this.#soon(call, now);
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

  #soon(call: Call, now: number): void {
    call.resendMs = FIRST_RESEND_MS;
    call.nextAt = now + FIRST_RESEND_MS;
  }

  /** Of the window from the first part that was not taken those from this one on, and the end where it is reached. */
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

  /** Its entry has said that it will never ask for it. */
  #drop(call: Call): void {
    if (call.phase === "running") this.#emit({ do: "abort", ref: call.ref });
    this.#remove(call, isWaiting(call));
  }

  /** Its entry is gone; yet a process that stood still may come back and ask, even after another took its place. */
  #abandon(call: Call): void {
    if (!isWaiting(call)) this.#forgotten = Math.max(this.#forgotten, call.ref);
    this.#drop(call);
  }

  /** It has run, and nobody took the answer in time. */
  #forget(call: Call): void {
    this.#forgotten = Math.max(this.#forgotten, call.ref);
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

  #of(entry: Peer): Call[] {
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
