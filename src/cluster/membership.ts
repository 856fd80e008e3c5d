/**
 * Which nodes are alive, by heartbeats: every node casts one each 250 ms, and a second of silence or a newer boot id means
 * gone. Beyond a hundred nodes beats become rarer, since each of them goes to all. It decides nothing about ownership, which
 * only the database does: a node that is wrongly taken for gone loses time and no safety. A process that was stopped (SIGSTOP)
 * comes back under the same boot id.
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
  /** When the next one follows. */
  readonly nextMs: number;
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
/** For each node that is alive, so that no node hears more than 400 beats a second, however many there are. */
const BEAT_MS_PER_NODE = 2.5;
/** A node is taken for gone after as long as so many beats take. */
const SILENT_BEATS = 4;
/** A node that is gone so long is forgotten. */
const FORGET_MS = 600_000;

/** Changed in place: a thousand nodes make hundreds of beats a second. */
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
  /** Nobody is silent for too long before that. */
  #lookAt = Number.POSITIVE_INFINITY;

  constructor(self: Peer, emit: (effect: MembershipEffect) => void) {
    this.#self = self;
    this.#emit = emit;
  }

  /** To be called every 50 ms or so. */
  tick(now: number, weight: number, load: number): void {
    this.#forgiveOwnPause(now);
    if (now >= this.#beatAt) {
      const nextMs = this.beatMs;
      this.#beatAt = now + nextMs;
      this.#emit({ do: "cast", message: { kind: "beat", count: ++this.#count, weight, load, nextMs } });
    }
    if (now > this.#lookAt) this.#look(now);
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

  /** It said goodbye; no beat of this boot counts any more. */
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

  /** For how long nothing was heard of one that is taken for dead; undefined of one that is alive, or was never heard. */
  silenceOf({ node, boot }: Peer, now: number): number | undefined {
    const known = this.#known.get(node);
    return known?.boot === boot && !known.isAlive ? now - known.heardAt : undefined;
  }

  /** The time between two beats of this node. */
  get beatMs(): number {
    return Math.max(BEAT_MS, this.#alive * BEAT_MS_PER_NODE);
  }

  /** Another number whenever a node came, went, or changed its weight. */
  get version(): number {
    return this.#version;
  }

  /** How many others are alive. */
  get size(): number {
    return this.#alive;
  }

  /** All others that are alive. */
  members(): Member[] {
    return [...this.#known.values()].filter(({ isAlive }) => isAlive);
  }

  /** While this process stood still it heard nobody; their beats wait to be read, and count as late by as much. */
  #forgiveOwnPause(now: number): void {
    const gap = now - (this.#lastTick ?? now);
    this.#lastTick = now;
    if (gap <= 2 * BEAT_MS) return;
    for (const peer of this.#known.values()) if (peer.isAlive) peer.heardAt += gap;
  }

  #heardAgain(known: Known, { count, weight, load, nextMs }: Beat, now: number): void {
    if (known.weight !== weight) this.#version++;
    Object.assign(known, { count, weight, load, nextMs, heardAt: now });
    this.#lookAt = Math.min(this.#lookAt, endOf(known));
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
    this.#lookAt = Math.min(this.#lookAt, endOf(peer));
  }

  #look(now: number): void {
    this.#lookAt = Number.POSITIVE_INFINITY;
    for (const peer of this.#known.values()) {
      if (now > endOf(peer) && peer.isAlive) this.#lose(peer, "silent");
      if (now > endOf(peer)) this.#known.delete(peer.node);
      else this.#lookAt = Math.min(this.#lookAt, endOf(peer));
    }
  }

  #lose(peer: Known, why: Departure): void {
    peer.isAlive = false;
    this.#alive--;
    this.#version++;
    this.#emit({ do: "gone", peer: { node: peer.node, boot: peer.boot }, why });
  }
}

/** When it is taken for gone, or forgotten where it is gone already, if nothing is heard of it until then. */
function endOf({ heardAt, nextMs, isAlive }: Known): number {
  return heardAt + (isAlive ? SILENT_BEATS * nextMs : FORGET_MS);
}
