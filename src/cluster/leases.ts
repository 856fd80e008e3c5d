/**
 * The leases of one node: a state machine, longer than other files. A key is held while its row in the database says so. A lease
 * counts from when its claim or renewal was *sent*, on this node's monotonic clock, so that it always ends here before it ends in
 * the database. Three safeguards end the work in time: this machine, a margin before the lease ends; the undertaker (a separate
 * process that gets a deadline with every renewal), a little later, if this process is paused; and the epoch, which makes every
 * late statement about an earlier lease ineffective.
 *
 * Answers may be lost, late or duplicated. An epoch that has ended here is never used again: claims ask for a higher one.
 */
import type { ClaimedKey, HeldKey, LeaseRequest, OwnerRow } from "./lease-requests.ts";
import type { Peer } from "./peer.ts";

export type LeaseEffect =
  | { readonly do: "request"; readonly id: number; readonly request: LeaseRequest }
  /** Tells the undertaker when the key's processes must be dead; always before `begin`. */
  | { readonly do: "deadline"; readonly key: string; readonly epoch: number; readonly at: number }
  | { readonly do: "begin"; readonly key: string; readonly epoch: number; readonly before: Peer | undefined }
  /** End processes and sockets in an orderly way, then call `stopped`. */
  | { readonly do: "stop"; readonly key: string; readonly epoch: number }
  /** End processes and sockets at once. */
  | { readonly do: "end"; readonly key: string; readonly epoch: number }
  /** The row was released; the node `to` may claim it. */
  | { readonly do: "freed"; readonly key: string; readonly epoch: number; readonly to: string | undefined }
  /** A row that names another owner, or none. */
  | { readonly do: "seen"; readonly row: OwnerRow };

export const LEASE_MS = 10_000;
export const RENEW_MS = 3_000;
/**
 * A statement without an answer is repeated after this time, or after twice what the last answer took, if that is longer: to
 * repeat what a busy database has not come to yet would keep it busy for ever. The most leaves time for three renewals in a lease.
 */
const ANSWER_MS = 1_000;
const MOST_ANSWER_MS = 4_000;
/** The database counts as away when it has answered nothing for so long, or so many statements in a row have failed. */
const AWAY_MS = 2_000;
const AWAY_FAILURES = 2;
/** How long before the end of a lease this node ends its work, and how long before it the undertaker kills what is left. */
const MARGIN_MS = 1_500;
const UNDERTAKER_MARGIN_MS = 700;
/** How long after the end of a lease its row is claimed again. */
const RETRY_AFTER_END_MS = 50;
/** The most keys in one claim. */
const MOST_KEYS = 2_000;

interface Held {
  readonly key: string;
  readonly epoch: number;
  /** When this node ends its work, on this node's clock. */
  endAt: number;
  /** Its processes are being ended; no new work starts. */
  isStopping: boolean;
  /** The node that the key is handed over to, if any. */
  to: string | undefined;
}

/** A key that this node wants to hold. */
interface WantedKey {
  readonly key: string;
  readonly force: boolean;
  /** Epochs up to this one have ended here. */
  above: number;
  /** The id of the next request when the key became wanted: answers to earlier requests do not count. */
  readonly since: number;
  claimAt: number;
}

interface Sent {
  readonly request: LeaseRequest;
  readonly at: number;
}

interface Release extends HeldKey {
  readonly to: string | undefined;
  sendAt: number;
}

export class Leases {
  readonly #self: Peer;
  readonly #emit: (effect: LeaseEffect) => void;
  readonly #wanted = new Map<string, WantedKey>();
  readonly #held = new Map<string, Held>();
  readonly #releases = new Map<string, Release>();
  readonly #toLocate = new Set<string>();
  readonly #sent = new Map<number, Sent>();
  #nextId = 1;
  #probedAt = 0;
  /** When the oldest unanswered statement was sent, if none was answered since. */
  #silentSince: number | undefined;
  #failuresInRow = 0;
  /** How long an answer is waited for before its statement is repeated. */
  #answerMs = ANSWER_MS;
  #renewAt = 0;
  #nextEnd = Number.POSITIVE_INFINITY;
  #nextClaim = Number.POSITIVE_INFINITY;

  constructor(self: Peer, emit: (effect: LeaseEffect) => void) {
    this.#self = self;
    this.#emit = emit;
  }

  /** Whether this node may work for the key under this epoch at this moment. */
  isLive(key: string, epoch: number, now: number): boolean {
    const held = this.#held.get(key);
    return held?.epoch === epoch && !held.isStopping && now < held.endAt;
  }

  /** The epoch under which the key is held; undefined if it is not, or is being released. */
  epochOf(key: string, now: number): number | undefined {
    const held = this.#held.get(key);
    return held && this.isLive(key, held.epoch, now) ? held.epoch : undefined;
  }

  heldKeys(): IterableIterator<string> {
    return this.#held.keys();
  }

  holds(key: string): boolean {
    return this.#held.has(key);
  }

  /** Whether nothing is held and no release waits for its answer. */
  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#releases.size === 0;
  }

  /** Whether the database has not answered for some time, or cannot be reached. */
  isDatabaseAway(now: number): boolean {
    return this.#failuresInRow >= AWAY_FAILURES || this.silentMs(now) >= AWAY_MS;
  }

  /** Claims the key until it is held, and again whenever it is lost. `force` takes it from its owner, once. */
  want(key: string, now: number, force = false): void {
    const known = this.#wanted.get(key);
    if (known && (known.force || !force)) return;
    const held = this.#held.get(key);
    if (held && !held.isStopping && !force) this.#addWanted(key, held.epoch, force, Number.POSITIVE_INFINITY);
    else this.#addWanted(key, Math.max(held?.epoch ?? 0, this.#releases.get(key)?.epoch ?? 0), force, now);
  }

  /** Stops claiming the key; a lease that is held stays. */
  unwant(key: string): void {
    this.#wanted.delete(key);
  }

  /** Releases a held key in an orderly way: `stop`, then the release in the database, then `freed`. */
  release(key: string, to: string | undefined): void {
    this.#wanted.delete(key);
    const held = this.#held.get(key);
    if (!held || held.isStopping) return;
    held.isStopping = true;
    held.to = to;
    this.#emit({ do: "stop", key, epoch: held.epoch });
  }

  /** What `stop` asked for is done: the processes of this epoch are dead. */
  stopped(key: string, epoch: number, now: number): void {
    const held = this.#held.get(key);
    if (held?.epoch !== epoch || !held.isStopping) return;
    this.#held.delete(key);
    this.#queueRelease(key, epoch, held.to, now);
  }

  /** Another node reports that it has released the key: claims it at once if it is wanted. */
  becameFree(key: string, now: number): void {
    const wanted = this.#wanted.get(key);
    if (wanted && !this.#held.has(key)) this.#claimAt(wanted, now);
  }

  /** Another node holds the key under a higher epoch, as when a device has dialled there: the work here ends. */
  superseded(key: string, epoch: number, now: number): void {
    const held = this.#held.get(key);
    if (held && held.epoch < epoch) this.#lose(held, now);
  }

  /** Asks the database who holds the key; the effect `seen` brings the answer. */
  locate(key: string): void {
    this.#toLocate.add(key);
  }

  /** How long the database has left statements unanswered, in milliseconds; 0 if none is. */
  silentMs(now: number): number {
    return this.#silentSince === undefined ? 0 : now - this.#silentSince;
  }

  /** To be called about every 50 ms. */
  tick(now: number): void {
    if (now >= this.#nextEnd) this.#endDue(now);
    if (now >= this.#renewAt && this.#held.size > 0) this.#renew(now);
    if (now >= this.#nextClaim) this.#claimDue(now);
    this.#releaseDue(now);
    this.#locateDue(now);
    if (this.#silentSince !== undefined && now >= Math.max(this.#silentSince, this.#probedAt) + ANSWER_MS)
      this.#probe(now);
    for (const [id, { at }] of this.#sent) if (now - at > LEASE_MS) this.#sent.delete(id);
  }

  /** The database has answered a request; a second answer to it is ignored. */
  answered(id: number, rows: readonly OwnerRow[], now: number): void {
    const sent = this.#sent.get(id);
    const isBack = sent && this.silentMs(now) >= AWAY_MS && now - sent.at < ANSWER_MS;
    this.#silentSince = undefined;
    this.#failuresInRow = 0;
    if (!this.#sent.delete(id) || !sent) return;
    const { request, at } = sent;
    this.#learnAnswerMs(sent, now);
    if (isBack) this.#repeatAll(now);
    if (request.kind === "claim") for (const row of rows) this.#claimed(id, row, at, now);
    else if (request.kind === "renew") this.#renewed(request.keys, rows, at, now);
    else if (request.kind === "release") for (const { key, epoch } of request.keys) this.#released(key, epoch);
    else for (const row of rows) this.#emit({ do: "seen", row });
  }

  /** A statement could not be sent to the database, or its answer was lost. */
  requestFailed(id: number, now: number): void {
    this.#failuresInRow++;
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    if (sent) this.#learnAnswerMs(sent, now);
  }

  /** The instant from which a lease counts. The simulator overrides it to show that a later one is unsafe. */
  protected countsFrom(sentAt: number, _answeredAt: number): number {
    return sentAt;
  }

  /** A statement that names no row waits for no lock, so that it tells nothing of those that do. */
  #learnAnswerMs({ request, at }: Sent, now: number): void {
    if (request.keys.length > 0) this.#answerMs = Math.min(Math.max(2 * (now - at), ANSWER_MS), MOST_ANSWER_MS);
  }

  /** What was sent while the database was away need not wait for its time. */
  #repeatAll(now: number): void {
    this.#renewAt = Math.min(this.#renewAt, now);
    for (const wanted of this.#wanted.values()) if (!this.#held.has(wanted.key)) this.#claimAt(wanted, now);
    for (const release of this.#releases.values()) release.sendAt = now;
  }

  #addWanted(key: string, above: number, force: boolean, claimAt: number): void {
    const wanted: WantedKey = { key, above, force, since: this.#nextId, claimAt };
    this.#wanted.set(key, wanted);
    this.#claimAt(wanted, claimAt);
  }

  #claimAt(wanted: WantedKey, at: number): void {
    wanted.claimAt = at;
    this.#nextClaim = Math.min(this.#nextClaim, at);
  }

  #claimed(id: number, row: OwnerRow, sentAt: number, now: number): void {
    const wanted = this.#wanted.get(row.key);
    const held = this.#held.get(row.key);
    if (row.boot !== this.#self.boot) {
      this.#emit({ do: "seen", row });
      // Counted from when the claim was sent: a late answer must not delay the next claim, and a claim too early is harmless.
      if (wanted && !held) this.#claimAt(wanted, Math.max(now, sentAt + row.leftMs) + RETRY_AFTER_END_MS);
    } else if (held && held.epoch >= row.epoch) return;
    else if (!wanted) this.#queueRelease(row.key, row.epoch, undefined, now);
    else if (id >= wanted.since && row.epoch > wanted.above) this.#begin(wanted, row, held, sentAt, now);
  }

  #begin(
    wanted: WantedKey,
    { key, epoch, before }: OwnerRow,
    held: Held | undefined,
    sentAt: number,
    now: number,
  ): void {
    const from = this.countsFrom(sentAt, now);
    const endAt = from + LEASE_MS - MARGIN_MS;
    if (now >= endAt) {
      this.#claimAt(wanted, now);
      return;
    }
    if (held) this.#emit({ do: "end", key, epoch: held.epoch });
    // A forced claim stands for one dialled socket. If another node takes the key by force later, the device has dialled there.
    if (wanted.force) this.#wanted.delete(key);
    wanted.above = epoch;
    wanted.claimAt = Number.POSITIVE_INFINITY;
    this.#held.set(key, { key, epoch, endAt, isStopping: false, to: undefined });
    this.#nextEnd = Math.min(this.#nextEnd, endAt);
    this.#renewAt = Math.min(this.#renewAt, sentAt + RENEW_MS);
    this.#emit({ do: "deadline", key, epoch, at: from + LEASE_MS - UNDERTAKER_MARGIN_MS });
    this.#emit({ do: "begin", key, epoch, before });
  }

  #renewed(keys: readonly HeldKey[], rows: readonly OwnerRow[], sentAt: number, now: number): void {
    const byKey = new Map(rows.map((row) => [row.key, row]));
    this.#renewAt = Math.max(this.#renewAt, sentAt + RENEW_MS);
    const from = this.countsFrom(sentAt, now);
    for (const { key, epoch } of keys) {
      const [held, row] = [this.#held.get(key), byKey.get(key)];
      if (held?.epoch !== epoch) continue;
      if (row?.boot !== this.#self.boot || row.epoch !== epoch) {
        if (row) this.#emit({ do: "seen", row });
        this.#lose(held, now);
      } else if (now >= held.endAt)
        // After a pause the answer comes too late: the undertaker may have killed the processes already.
        this.#lose(held, now);
      else if (from + LEASE_MS - MARGIN_MS > held.endAt) {
        held.endAt = from + LEASE_MS - MARGIN_MS;
        this.#emit({ do: "deadline", key, epoch, at: from + LEASE_MS - UNDERTAKER_MARGIN_MS });
      }
    }
  }

  #released(key: string, epoch: number): void {
    const release = this.#releases.get(key);
    if (release?.epoch !== epoch) return;
    this.#releases.delete(key);
    this.#emit({ do: "freed", key, epoch, to: release.to });
  }

  #endDue(now: number): void {
    this.#nextEnd = Number.POSITIVE_INFINITY;
    for (const held of this.#held.values()) {
      if (now >= held.endAt) this.#lose(held, now);
      else this.#nextEnd = Math.min(this.#nextEnd, held.endAt);
    }
  }

  /** Ends the work at once. If the key is still wanted, it is claimed again under a higher epoch. */
  #lose({ key, epoch }: Held, now: number): void {
    this.#held.delete(key);
    this.#emit({ do: "end", key, epoch });
    const wanted = this.#wanted.get(key);
    if (!wanted) return;
    wanted.above = Math.max(wanted.above, epoch);
    this.#claimAt(wanted, now + RETRY_AFTER_END_MS);
  }

  #queueRelease(key: string, epoch: number, to: string | undefined, now: number): void {
    const wanted = this.#wanted.get(key);
    if (wanted) wanted.above = Math.max(wanted.above, epoch);
    if ((this.#releases.get(key)?.epoch ?? 0) < epoch) this.#releases.set(key, { key, epoch, to, sendAt: now });
  }

  #renew(now: number): void {
    this.#renewAt = now + this.#answerMs;
    const keys = [...this.#held.values()].map(({ key, epoch }) => ({ key, epoch }));
    this.#send({ kind: "renew", leaseMs: LEASE_MS, keys }, now);
  }

  #claimDue(now: number): void {
    const keys: ClaimedKey[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const wanted of this.#wanted.values()) {
      if (wanted.claimAt <= now && keys.length < MOST_KEYS) {
        wanted.claimAt = now + this.#answerMs;
        keys.push({ key: wanted.key, above: wanted.above, force: wanted.force });
      }
      next = Math.min(next, wanted.claimAt);
    }
    this.#nextClaim = next;
    if (keys.length > 0) this.#send({ kind: "claim", leaseMs: LEASE_MS, keys }, now);
  }

  #releaseDue(now: number): void {
    if (this.#releases.size === 0) return;
    const due = [...this.#releases.values()].filter(({ sendAt }) => sendAt <= now);
    for (const release of due) release.sendAt = now + this.#answerMs;
    if (due.length > 0) this.#send({ kind: "release", keys: due.map(({ key, epoch }) => ({ key, epoch })) }, now);
  }

  #locateDue(now: number): void {
    if (this.#toLocate.size === 0) return;
    this.#send({ kind: "locate", keys: [...this.#toLocate].map((key) => ({ key })) }, now);
    this.#toLocate.clear();
  }

  /** An empty statement costs the database nothing, and its answer shows that the database is there. */
  #probe(now: number): void {
    this.#probedAt = now;
    this.#send({ kind: "locate", keys: [] }, now);
  }

  #send(request: LeaseRequest, now: number): void {
    const id = this.#nextId++;
    if (this.silentMs(now) >= this.#answerMs) this.#answerMs = Math.min(2 * this.#answerMs, MOST_ANSWER_MS);
    this.#sent.set(id, { request, at: now });
    this.#silentSince ??= now;
    this.#emit({ do: "request", id, request });
  }
}
