/**
 * Which nodes are alive, by heartbeats: every node broadcasts one each 250 ms, and counts as gone after a second of silence or when
 * a newer boot id appears. Beyond a hundred nodes beats become rarer, since each goes to all nodes. Membership decides nothing
 * about ownership, which is up to the database: to take a live node for gone costs time, not safety. A paused process (SIGSTOP)
 * comes back under the same boot id.
 */
import type { Peer } from "./peer.ts";

/** The heartbeat of a node. */
export interface Beat {
  readonly kind: "beat";
  /** Grows with each beat of one boot, so that late beats can be ignored. */
  readonly count: number;
  /** The weight of the node when keys are shared out, from 0 (it drains) to 1. */
  readonly weight: number;
  /** How busy the node is, in the same unit on all nodes. */
  readonly load: number;
  /** Milliseconds until the next beat. */
  readonly nextMs: number;
}

/** "silent": no heartbeat in time. "replaced": its node has a newer boot. "left": it said goodbye. */
type Departure = "silent" | "replaced" | "left";

export type MembershipEffect =
  | { readonly do: "cast"; readonly message: Beat }
  | { readonly do: "came"; readonly peer: Peer }
  | { readonly do: "gone"; readonly peer: Peer; readonly why: Departure }
  /** A newer process runs under this node's id: this one has to end. */
  | { readonly do: "replaced"; readonly by: Peer };

interface Member extends Peer {
  readonly weight: number;
  readonly load: number;
}

const BEAT_MS = 250;
/** The time between beats per live node: no node receives more than 400 beats a second, however many nodes there are. */
const BEAT_MS_PER_NODE = 2.5;
/** A node counts as gone after this many missed beats. */
const SILENT_BEATS = 4;
/** A node that has been gone for so long is forgotten. */
const FORGET_MS = 600_000;

/** Changed in place, because a thousand nodes make hundreds of beats a second. */
interface Known extends Member {
  weight: number;
  load: number;
  count: number;
  nextMs: number;
  heardAt: number;
  isAlive: boolean;
}

export class Membership {
  readonly #self: Peer;
  readonly #emit: (effect: MembershipEffect) => void;
  readonly #known = new Map<string, Known>();
  #count = 0;
  #beatAt = Number.NEGATIVE_INFINITY;
  #lastTick: number | undefined;
  #version = 0;
  #alive = 0;
  /** No node can have been silent for too long before this instant. */
  #checkAt = Number.POSITIVE_INFINITY;

  constructor(self: Peer, emit: (effect: MembershipEffect) => void) {
    this.#self = self;
    this.#emit = emit;
  }

  /** To be called about every 50 ms. */
  tick(now: number, weight: number, load: number): void {
    this.#forgiveOwnPause(now);
    if (now >= this.#beatAt) {
      const nextMs = this.beatMs;
      this.#beatAt = now + nextMs;
      this.#emit({ do: "cast", message: { kind: "beat", count: ++this.#count, weight, load, nextMs } });
    }
    if (now > this.#checkAt) this.#checkSilence(now);
  }

  heard(from: Peer, beat: Beat, now: number): void {
    if (from.node === this.#self.node) {
      if (from.boot > this.#self.boot) this.#emit({ do: "replaced", by: from });
      return;
    }
    const known = this.#known.get(from.node);
    if (known && (from.boot < known.boot || (from.boot === known.boot && beat.count <= known.count))) return;
    if (known?.isAlive && known.boot === from.boot) this.#heardAgain(known, beat, now);
    else this.#came(from, beat, now);
  }

  /** A node has said goodbye; later beats of this boot are ignored. */
  left(from: Peer, now: number): void {
    const known = this.#known.get(from.node);
    if (known && from.boot < known.boot) return;
    if (known?.isAlive) this.#lose(known, known.boot === from.boot ? "left" : "replaced");
    const count = Number.POSITIVE_INFINITY;
    const { node, boot } = from;
    this.#know({ node, boot, count, weight: 0, load: 0, nextMs: BEAT_MS, heardAt: now, isAlive: false });
  }

  isAlive({ node, boot }: Peer): boolean {
    if (node === this.#self.node) return boot === this.#self.boot;
    const known = this.#known.get(node);
    return known?.isAlive === true && known.boot === boot;
  }

  /** How long ago the last beat of a node that counts as gone was heard; undefined if it is alive, or was never heard. */
  silenceOf({ node, boot }: Peer, now: number): number | undefined {
    const known = this.#known.get(node);
    return known?.boot === boot && !known.isAlive ? now - known.heardAt : undefined;
  }

  /** The time between two beats of this node. */
  get beatMs(): number {
    return Math.max(BEAT_MS, this.#alive * BEAT_MS_PER_NODE);
  }

  /** Grows whenever a node has joined, left, or changed its weight. */
  get version(): number {
    return this.#version;
  }

  /** How many other nodes are alive. */
  get size(): number {
    return this.#alive;
  }

  /** All other live nodes. */
  members(): Member[] {
    return [...this.#known.values()].filter(({ isAlive }) => isAlive);
  }

  /** After a pause of this process, the beats of others are still waiting to be read: the pause does not count as their silence. */
  #forgiveOwnPause(now: number): void {
    const gap = now - (this.#lastTick ?? now);
    this.#lastTick = now;
    if (gap <= 2 * BEAT_MS) return;
    for (const peer of this.#known.values()) if (peer.isAlive) peer.heardAt += gap;
  }

  #heardAgain(known: Known, { count, weight, load, nextMs }: Beat, now: number): void {
    if (known.weight !== weight) this.#version++;
    Object.assign(known, { count, weight, load, nextMs, heardAt: now });
    this.#checkAt = Math.min(this.#checkAt, expiryOf(known));
  }

  #came({ node, boot }: Peer, { count, weight, load, nextMs }: Beat, now: number): void {
    const before = this.#known.get(node);
    if (before?.isAlive) this.#lose(before, "replaced");
    this.#know({ node, boot, count, weight, load, nextMs, heardAt: now, isAlive: true });
    this.#alive++;
    this.#version++;
    this.#emit({ do: "came", peer: { node, boot } });
  }

  #know(peer: Known): void {
    this.#known.set(peer.node, peer);
    this.#checkAt = Math.min(this.#checkAt, expiryOf(peer));
  }

  #checkSilence(now: number): void {
    this.#checkAt = Number.POSITIVE_INFINITY;
    for (const peer of this.#known.values()) {
      if (now > expiryOf(peer) && peer.isAlive) this.#lose(peer, "silent");
      if (now > expiryOf(peer)) this.#known.delete(peer.node);
      else this.#checkAt = Math.min(this.#checkAt, expiryOf(peer));
    }
  }

  #lose(peer: Known, why: Departure): void {
    peer.isAlive = false;
    this.#alive--;
    this.#version++;
    this.#emit({ do: "gone", peer: { node: peer.node, boot: peer.boot }, why });
  }
}

/** When a silent node counts as gone or, if it is gone already, is forgotten. */
function expiryOf({ heardAt, nextMs, isAlive }: Known): number {
  return heardAt + (isAlive ? SILENT_BEATS * nextMs : FORGET_MS);
}
