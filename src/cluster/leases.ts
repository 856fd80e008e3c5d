/**
 * The leases of one node: a state machine, longer than other files. A key is held while its row in the database says so, and a
 * lease counts from when its claim or renewal was *sent*, on this node's monotonic clock, so that it ends here before it ends
 * there, whatever became of the answer. Three lines of defence end the work: this machine a margin before the lease ends, the
 * undertaker (a process outside, told a deadline with every renewal) a little later where this process stands still, and the
 * epoch, which makes every late statement about an earlier lease do nothing.
 *
 * Answers may be lost, late or doubled. An epoch that has ended here is never begun again: claims ask for one above it.
 */
import type { ClaimedKey, HeldKey, LeaseRequest, OwnerRow } from "./lease-requests.ts";
import type { Peer } from "./peer.ts";

export type LeaseEffect =
  | { readonly do: "request"; readonly id: number; readonly request: LeaseRequest }
  /** Written to the undertaker, always before `begin`: at this instant the key's children must be dead. */
  | { readonly do: "deadline"; readonly key: string; readonly epoch: number; readonly at: number }
  | { readonly do: "begin"; readonly key: string; readonly epoch: number; readonly before: Peer | undefined }
  /** End children and sockets in an orderly way, then call `stopped`. */
  | { readonly do: "stop"; readonly key: string; readonly epoch: number }
  /** End children and sockets now. */
  | { readonly do: "end"; readonly key: string; readonly epoch: number }
  /** The row is free; `to` may claim it. */
  | { readonly do: "freed"; readonly key: string; readonly epoch: number; readonly to: string | undefined }
  /** What the row says of somebody else. */
  | { readonly do: "seen"; readonly row: OwnerRow };

export const LEASE_MS = 10_000;
export const RENEW_MS = 3_000;
/** A statement without an answer is followed by another. */
const ANSWER_MS = 1_000;
/** A database that has answered nothing for so long is away; or one that could not be reached so many times in a row. */
const AWAY_MS = 2_000;
const AWAY_TIMES = 2;
/** How long before the end of a lease this node ends its work, and how long before it the undertaker does. */
const MARGIN_MS = 1_500;
const UNDERTAKER_MARGIN_MS = 700;
/** How long after its lease has ended a row is claimed again. */
const RETRY_AFTER_END_MS = 50;
/** In one statement. */
const MOST_KEYS = 2_000;

interface Held {
  readonly key: string;
  readonly epoch: number;
  /** On this node's clock. */
  endAt: number;
  /** Its children are being ended; no new work. */
  isStopping: boolean;
  to: string | undefined;
}

interface Wish {
  readonly key: string;
  readonly force: boolean;
  /** Epochs up to this one are over here. */
  above: number;
  /** Answers to requests before this one belong to an earlier wish. */
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
  readonly #wishes = new Map<string, Wish>();
  readonly #held = new Map<string, Held>();
  readonly #releases = new Map<string, Release>();
  readonly #toLocate = new Set<string>();
  readonly #sent = new Map<number, Sent>();
  #nextId = 1;
  #sentAt = 0;
  /** Since when nothing that was asked has been answered. */
  #silentSince: number | undefined;
  #timesUnreached = 0;
  #renewAt = 0;
  #nextEnd = Number.POSITIVE_INFINITY;
  #nextClaim = Number.POSITIVE_INFINITY;

  constructor(self: Peer, emit: (effect: LeaseEffect) => void) {
    this.#self = self;
    this.#emit = emit;
  }

  /** Whether this node may work for the key under this epoch, at this instant. */
  isLive(key: string, epoch: number, now: number): boolean {
    const held = this.#held.get(key);
    return held?.epoch === epoch && !held.isStopping && now < held.endAt;
  }

  /** The epoch under which the key is held; undefined where it is not, or is being let go. */
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

  /** Nothing is held, and no release waits for its answer. */
  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#releases.size === 0;
  }

  /** Whether the database has left a statement without an answer for some time, or cannot be reached. */
  isAway(now: number): boolean {
    return this.#timesUnreached >= AWAY_TIMES || this.silentMs(now) >= AWAY_MS;
  }

  /** Claims it from now on until it is held, and again whenever it was lost. */
  want(key: string, now: number, force = false): void {
    const known = this.#wishes.get(key);
    if (known && (known.force || !force)) return;
    const held = this.#held.get(key);
    if (held && !held.isStopping && !force) this.#wish(key, held.epoch, force, Number.POSITIVE_INFINITY);
    else this.#wish(key, Math.max(held?.epoch ?? 0, this.#releases.get(key)?.epoch ?? 0), force, now);
  }

  /** Claims it no more; what is held stays. */
  unwant(key: string): void {
    this.#wishes.delete(key);
  }

  /** Lets go of it in good order: `stop`, then the release, then `freed`. */
  release(key: string, to: string | undefined): void {
    this.#wishes.delete(key);
    const held = this.#held.get(key);
    if (!held || held.isStopping) return;
    held.isStopping = true;
    held.to = to;
    this.#emit({ do: "stop", key, epoch: held.epoch });
  }

  /** What `stop` asked for is done: the children of this epoch are dead. */
  stopped(key: string, epoch: number, now: number): void {
    const held = this.#held.get(key);
    if (held?.epoch !== epoch || !held.isStopping) return;
    this.#held.delete(key);
    this.#letGo(key, epoch, held.to, now);
  }

  /** Somebody says that the key is free now. */
  isFree(key: string, now: number): void {
    const wish = this.#wishes.get(key);
    if (wish && !this.#held.has(key)) this.#claimAt(wish, now);
  }

  /** Somebody else holds it under a higher epoch: a device has dialled there. */
  overtaken(key: string, epoch: number, now: number): void {
    const held = this.#held.get(key);
    if (held && held.epoch < epoch) this.#lose(held, now);
  }

  /** Asks who holds it; the answer is a `seen`. */
  locate(key: string): void {
    this.#toLocate.add(key);
  }

  /** How long the database has answered nothing, though it was asked. */
  silentMs(now: number): number {
    return this.#silentSince === undefined ? 0 : now - this.#silentSince;
  }

  /** To be called every 50 ms or so. */
  tick(now: number): void {
    if (now >= this.#nextEnd) this.#endDue(now);
    if (now >= this.#renewAt && this.#held.size > 0) this.#renew(now);
    if (now >= this.#nextClaim) this.#claimDue(now);
    this.#releaseDue(now);
    this.#locateDue(now);
    // Who holds nothing and wants nothing would not learn that the database is back.
    if (this.#silentSince !== undefined && now >= this.#sentAt + ANSWER_MS)
      this.#send({ kind: "locate", keys: [] }, now);
    for (const [id, { at }] of this.#sent) if (now - at > LEASE_MS) this.#sent.delete(id);
  }

  /** The database has answered; a second answer to the same request is ignored. */
  answered(id: number, rows: readonly OwnerRow[], now: number): void {
    this.#silentSince = undefined;
    this.#timesUnreached = 0;
    const sent = this.#sent.get(id);
    if (!this.#sent.delete(id) || !sent) return;
    const { request, at } = sent;
    if (request.kind === "claim") for (const row of rows) this.#claimed(id, row, at, now);
    else if (request.kind === "renew") this.#renewed(request.keys, rows, at, now);
    else if (request.kind === "release") for (const { key, epoch } of request.keys) this.#released(key, epoch);
    else for (const row of rows) this.#emit({ do: "seen", row });
  }

  /** A statement could not be handed to the database, or its answer was lost. */
  requestFailed(): void {
    this.#timesUnreached++;
  }

  /** The instant a lease counts from, given when its statement was sent and when its answer came. */
  protected countsFrom(sentAt: number, _answeredAt: number): number {
    return sentAt;
  }

  #wish(key: string, above: number, force: boolean, claimAt: number): void {
    const wish: Wish = { key, above, force, since: this.#nextId, claimAt };
    this.#wishes.set(key, wish);
    this.#claimAt(wish, claimAt);
  }

  #claimAt(wish: Wish, at: number): void {
    wish.claimAt = at;
    this.#nextClaim = Math.min(this.#nextClaim, at);
  }

  #claimed(id: number, row: OwnerRow, sentAt: number, now: number): void {
    const wish = this.#wishes.get(row.key);
    const held = this.#held.get(row.key);
    if (row.boot !== this.#self.boot) {
      this.#emit({ do: "seen", row });
      // From when it was sent: an answer that comes late must not put the next claim off, and one too many is harmless.
      if (wish && !held) this.#claimAt(wish, Math.max(now, sentAt + row.leftMs) + RETRY_AFTER_END_MS);
    } else if (held && held.epoch >= row.epoch) return;
    else if (!wish) this.#letGo(row.key, row.epoch, undefined, now);
    else if (id >= wish.since && row.epoch > wish.above) this.#begin(wish, row, held, sentAt, now);
  }

  #begin(wish: Wish, { key, epoch, before }: OwnerRow, held: Held | undefined, sentAt: number, now: number): void {
    const from = this.countsFrom(sentAt, now);
    const endAt = from + LEASE_MS - MARGIN_MS;
    if (now >= endAt) {
      this.#claimAt(wish, now);
      return;
    }
    if (held) this.#emit({ do: "end", key, epoch: held.epoch });
    // A dial is a wish for one socket: whoever takes it away later is in the right.
    if (wish.force) this.#wishes.delete(key);
    wish.above = epoch;
    wish.claimAt = Number.POSITIVE_INFINITY;
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
        // An answer that finds the time over, as after a pause, comes too late: the undertaker may have done its work.
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

  /** The work ends at once; where the key is still wanted, it is claimed under a higher epoch. */
  #lose({ key, epoch }: Held, now: number): void {
    this.#held.delete(key);
    this.#emit({ do: "end", key, epoch });
    const wish = this.#wishes.get(key);
    if (!wish) return;
    wish.above = Math.max(wish.above, epoch);
    this.#claimAt(wish, now + RETRY_AFTER_END_MS);
  }

  #letGo(key: string, epoch: number, to: string | undefined, now: number): void {
    const wish = this.#wishes.get(key);
    if (wish) wish.above = Math.max(wish.above, epoch);
    if ((this.#releases.get(key)?.epoch ?? 0) < epoch) this.#releases.set(key, { key, epoch, to, sendAt: now });
  }

  #renew(now: number): void {
    this.#renewAt = now + ANSWER_MS;
    const keys = [...this.#held.values()].map(({ key, epoch }) => ({ key, epoch }));
    this.#send({ kind: "renew", leaseMs: LEASE_MS, keys }, now);
  }

  #claimDue(now: number): void {
    const keys: ClaimedKey[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const wish of this.#wishes.values()) {
      if (wish.claimAt <= now && keys.length < MOST_KEYS) {
        wish.claimAt = now + ANSWER_MS;
        keys.push({ key: wish.key, above: wish.above, force: wish.force });
      }
      next = Math.min(next, wish.claimAt);
    }
    this.#nextClaim = next;
    if (keys.length > 0) this.#send({ kind: "claim", leaseMs: LEASE_MS, keys }, now);
  }

  #releaseDue(now: number): void {
    if (this.#releases.size === 0) return;
    const due = [...this.#releases.values()].filter(({ sendAt }) => sendAt <= now);
    for (const release of due) release.sendAt = now + ANSWER_MS;
    if (due.length > 0) this.#send({ kind: "release", keys: due.map(({ key, epoch }) => ({ key, epoch })) }, now);
  }

  #locateDue(now: number): void {
    if (this.#toLocate.size === 0) return;
    this.#send({ kind: "locate", keys: [...this.#toLocate].map((key) => ({ key })) }, now);
    this.#toLocate.clear();
  }

  #send(request: LeaseRequest, now: number): void {
    const id = this.#nextId++;
    this.#sent.set(id, { request, at: now });
    this.#sentAt = now;
    this.#silentSince ??= now;
    this.#emit({ do: "request", id, request });
  }
}
