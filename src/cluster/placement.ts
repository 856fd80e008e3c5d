/**
 * Which node should hold which key, computed by every node alone from the same list of members. A key belongs to one of 16,384
 * slots by its hash; a slot goes to the node with the highest score for it (rendezvous hashing) that still has room: no node takes
 * more than a tenth over its share. A node that joins or leaves thus moves little more than its own slots, and a node has to look
 * only at the keys of its own slots. A key that is pinned to nodes goes to one of them or to none.
 */

interface Weighted {
  readonly node: string;
  /** From 0 (takes nothing) to 1. */
  readonly weight: number;
}

export const SLOTS = 16_384;
const SLACK = 1.1;
const NOBODY = -1;

export function slotOf(key: string): number {
  return hashOf(key) % SLOTS;
}

/** The table of slots. The same members in any order give the same table. */
export class Placement {
  readonly #nodes: readonly string[];
  readonly #hashes: Uint32Array;
  readonly #table: Int32Array;

  constructor(members: readonly Weighted[]) {
    const able = members.filter(({ weight }) => weight > 0).sort((one, other) => (one.node < other.node ? -1 : 1));
    this.#nodes = able.map(({ node }) => node);
    this.#hashes = Uint32Array.from(this.#nodes, hashOf);
    const whole = able.reduce((sum, { weight }) => sum + weight, 0);
    this.#table = this.#fill(able.map(({ weight }) => Math.ceil((SLACK * SLOTS * weight) / whole)));
  }

  ofSlot(slot: number): string | undefined {
    return this.#nodes[this.#table[slot] ?? NOBODY];
  }

  /** The node that should hold the key; undefined if none may. */
  of(key: string, pins?: readonly string[]): string | undefined {
    if (!pins) return this.ofSlot(slotOf(key));
    const hash = hashOf(key);
    const able = this.#nodes.flatMap((node, index) => (pins.includes(node) ? index : []));
    return this.#nodes[able.reduce((best, index) => this.#better(hash, best, index), NOBODY)];
  }

  #fill(room: number[]): Int32Array {
    const table = new Int32Array(SLOTS).fill(NOBODY);
    for (let slot = 0; slot < SLOTS; slot++) {
      const best = this.#bestWithRoom(mix(slot), room);
      table[slot] = best;
      if (best !== NOBODY) room[best] = (room[best] ?? 0) - 1;
    }
    return table;
  }

  /** The innermost loop: with a thousand nodes, one table needs sixteen million scores. */
  #bestWithRoom(hash: number, room: readonly number[]): number {
    const hashes = this.#hashes;
    let best = NOBODY;
    let bestScore = -1;
    for (let index = 0; index < hashes.length; index++) {
      const score = mix(hash ^ (hashes[index] as number));
      if (score > bestScore && (room[index] as number) > 0) {
        best = index;
        bestScore = score;
      }
    }
    return best;
  }

  #better(hash: number, one: number, other: number): number {
    if (one === NOBODY) return other;
    return mix(hash ^ (this.#hashes[other] ?? 0)) > mix(hash ^ (this.#hashes[one] ?? 0)) ? other : one;
  }
}

/** FNV-1a over UTF-16 units, mixed once more, since its upper bits change little from one short name to the next. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash);
}

/** The finalizer of MurmurHash3: every bit of the input reaches every bit of the output. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
