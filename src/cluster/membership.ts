/**
 * Which nodes are alive, by heartbeats: every node casts one each 250 ms, and a second of silence or a newer boot id means
 * gone. It decides nothing about ownership, which only the database does: a node that is wrongly taken for gone loses time
 * and no safety. A process that was stopped (SIGSTOP) comes back under the same boot id.
 */
import type { Peer } from "./peer.ts";

/** What a node tells of itself. */
export interface Beat {
  readonly kind: "beat";
  /** Grows with each beat of one boot: a beat that comes late tells nothing. */
  readonly count: number;
  /** Which share of the keys it takes, from 0 (it drains) to 1. */
  readonly weight: number;
  /** How busy it is, in whatever unit all nodes use. */
  readonly load: number;
}

/** "silent": no heartbeat in time. "replaced": its node has another boot. "left": it said goodbye. */
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
const SILENCE_MS = 1_000;
/** A node that is gone so long is forgotten. */
const FORGET_MS = 600_000;

interface Known extends Member {
  readonly count: number;
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

  constructor(self: Peer, emit: (effect: MembershipEffect) => void) {
    this.#self = self;
    this.#emit = emit;
  }

  /** To be called every 50 ms or so. */
  tick(now: number, weight: number, load: number): void {
    this.#forgiveOwnPause(now);
    if (now >= this.#beatAt) {
      this.#beatAt = now + BEAT_MS;
      this.#emit({ do: "cast", message: { kind: "beat", count: ++this.#count, weight, load } });
    }
    for (const [node, peer] of this.#known) {
      if (peer.isAlive && now - peer.heardAt > SILENCE_MS) this.#lose(peer, "silent");
      if (now - peer.heardAt > FORGET_MS) this.#known.delete(node);
    }
  }

  heard(from: Peer, { count, weight, load }: Beat, now: number): void {
    if (from.node === this.#self.node) {
      if (from.boot > this.#self.boot) this.#emit({ do: "replaced", by: from });
      return;
    }
    const known = this.#known.get(from.node);
    if (known && (from.boot < known.boot || (from.boot === known.boot && count <= known.count))) return;
    if (known?.isAlive && known.boot !== from.boot) this.#lose(known, "replaced");
    const isNews = known?.boot !== from.boot || !known.isAlive;
    if (isNews || known.weight !== weight) this.#version++;
    const { node, boot } = from;
    this.#known.set(node, { node, boot, count, weight, load, heardAt: now, isAlive: true });
    if (isNews) this.#emit({ do: "came", peer: { node, boot } });
  }

  /** It said goodbye; no beat of this boot counts any more. */
  left(from: Peer, now: number): void {
    const known = this.#known.get(from.node);
    if (known && from.boot < known.boot) return;
    if (known?.isAlive) this.#lose(known, known.boot === from.boot ? "left" : "replaced");
    const count = Number.POSITIVE_INFINITY;
    this.#known.set(from.node, { ...from, count, weight: 0, load: 0, heardAt: now, isAlive: false });
  }

  isAlive({ node, boot }: Peer): boolean {
    if (node === this.#self.node) return boot === this.#self.boot;
    const known = this.#known.get(node);
    return known?.isAlive === true && known.boot === boot;
  }

  /** For how long nothing was heard of one that is taken for dead; undefined of one that is alive, or was never heard. */
  silenceOf({ node, boot }: Peer, now: number): number | undefined {
    const known = this.#known.get(node);
    return known?.boot === boot && !known.isAlive ? now - known.heardAt : undefined;
  }

  /** Another number whenever a node came, went, or changed its weight. */
  get version(): number {
    return this.#version;
  }

  /** All others that are alive. */
  members(): Member[] {
    return [...this.#known.values()].filter(({ isAlive }) => isAlive);
  }

  /** While this process stood still it heard nobody; their beats wait to be read, and count as late by as much. */
  #forgiveOwnPause(now: number): void {
    const gap = now - (this.#lastTick ?? now);
    this.#lastTick = now;
    if (gap <= SILENCE_MS / 2) return;
    for (const peer of this.#known.values()) if (peer.isAlive) peer.heardAt += gap;
  }

  #lose(peer: Known, why: Departure): void {
    peer.isAlive = false;
    this.#version++;
    this.#emit({ do: "gone", peer: { node: peer.node, boot: peer.boot }, why });
  }
}
