/**
 * Which keys this node wants, and which it hands over: a state machine over the table of slots. Keys of a node that is gone are
 * wanted at once. Keys that another node should hold instead of this one are handed over only after the members have been stable
 * for a while, a few at a time and while no call uses them, so that a node that briefly comes and goes moves nothing. A node that
 * drains (weight 0) hands over at once what another node may hold; a node that leaves ends the rest, too.
 */
import { Placement, SLOTS } from "./placement.ts";

/** The keys of the whole cluster, as this node knows them. */
export interface KeyIndex {
  /** The keys of a slot that are not pinned. */
  inSlot(slot: number): Iterable<string>;
  pinned(): Iterable<readonly [key: string, nodes: readonly string[]]>;
  /** The nodes that the key is pinned to; undefined if it is not pinned. */
  pinsOf(key: string): readonly string[] | undefined;
  has(key: string): boolean;
}

export type ShareEffect =
  | { readonly do: "want"; readonly key: string }
  | { readonly do: "unwant"; readonly key: string }
  | { readonly do: "handover"; readonly key: string; readonly to: string | undefined };

/**
 * "share": the node takes its share. "drain": it takes nothing new and hands over what another node may hold, but keeps running.
 * "leave": it shuts down, and releases everything.
 */
export type ShareMode = "share" | "drain" | "leave";

interface SharePorts {
  readonly index: KeyIndex;
  /** The keys that this node holds now. */
  held(): Iterable<string>;
  isHeld(key: string): boolean;
  /** Whether a forwarded call runs or waits for the key. */
  isBusy(key: string): boolean;
  /** Whether clients may call this node, or wait for a call of any key. */
  hasCallers(): boolean;
}

/** How long members must be stable before keys are handed over. */
const SETTLE_MS = 5_000;
/** The most handovers under way at a time. */
const MOST_HANDOVERS = 16;
/**
 * How long a key that was handed to this node stays, even if this node's table says otherwise: the tables of nodes may differ for a
 * while.
 */
const KEEP_MS = 30_000;

export class Shares {
  readonly #node: string;
  readonly #ports: SharePorts;
  readonly #emit: (effect: ShareEffect) => void;
  #placement = new Placement([]);
  #mode: ShareMode = "share";
  #settledAt = Number.POSITIVE_INFINITY;
  readonly #slots = new Uint8Array(SLOTS);
  readonly #wanted = new Set<string>();
  /** Keys whose handover has begun and not ended. */
  readonly #handingOver = new Set<string>();
  /** Keys that were handed to this node, with the instant until which they stay. */
  readonly #keptUntil = new Map<string, number>();

  constructor(node: string, ports: SharePorts, emit: (effect: ShareEffect) => void) {
    this.#node = node;
    this.#ports = ports;
    this.#emit = emit;
  }

  /** Applies a new table of slots; a node that drains has no slot in it. */
  place(placement: Placement, mode: ShareMode, now: number): void {
    this.#placement = placement;
    this.#mode = mode;
    this.#settledAt = mode === "share" ? now + SETTLE_MS : now;
    for (let slot = 0; slot < SLOTS; slot++) this.#setSlot(slot, placement.ofSlot(slot) === this.#node);
    for (const [key, nodes] of this.#ports.index.pinned()) this.#set(key, placement.of(key, nodes) === this.#node);
  }

  /** A key was added to the index. */
  added(key: string): void {
    this.#set(key, this.#target(key) === this.#node);
  }

  /** A key was removed from the index: it is released without a new owner. */
  removed(key: string): void {
    this.#set(key, false);
    if (!this.#ports.isHeld(key) || this.#handingOver.has(key)) return;
    this.#handingOver.add(key);
    this.#emit({ do: "handover", key, to: undefined });
  }

  /** Another node has released the key for this one. */
  offered(key: string, now: number): void {
    if (this.#mode !== "share" || !this.#ports.index.has(key)) return;
    this.#keptUntil.set(key, now + KEEP_MS);
    this.#wanted.add(key);
    this.#emit({ do: "want", key });
  }

  /** The key is no longer held, for whatever reason: decides anew whether it is wanted. */
  ended(key: string): void {
    this.#handingOver.delete(key);
    if (!this.#ports.index.has(key)) return;
    const isOurs = this.#isOurs(key);
    if (isOurs) this.#wanted.add(key);
    else this.#wanted.delete(key);
    this.#emit(isOurs ? { do: "want", key } : { do: "unwant", key });
  }

  /** To be called about every 50 ms. */
  tick(now: number): void {
    for (const [key, until] of this.#keptUntil) if (until <= now) this.#keepExpired(key);
    if (now < this.#settledAt) return;
    // Checked once a second, so that thousands of keys are not gone through at each tick.
    this.#settledAt = now + (this.#mode === "leave" ? 0 : 1_000);
    const most = this.#mode === "share" ? MOST_HANDOVERS : Number.POSITIVE_INFINITY;
    for (const key of this.#ports.held()) if (this.#handingOver.size < most) this.#handOver(key);
  }

  #handOver(key: string): void {
    if (this.#handingOver.has(key)) return;
    // A key that is not in the index is a device's, whose socket cannot be handed over.
    const to = this.#ports.index.has(key) ? this.#target(key) : undefined;
    if (to === this.#node || (to === undefined && this.#mode !== "leave") || this.#mustStay(key)) return;
    // What nobody else may hold goes last: calls of this node's clients may need it, and a device that is disconnected dials again
    // at once and may come back to this node.
    if (to === undefined && this.#ports.hasCallers()) return;
    this.#handingOver.add(key);
    this.#wanted.delete(key);
    this.#keptUntil.delete(key);
    this.#emit({ do: "handover", key, to });
  }

  #mustStay(key: string): boolean {
    return this.#mode === "share" && (this.#keptUntil.has(key) || this.#ports.isBusy(key));
  }

  /** Whether this node should hold the key. A node that drains still wants what nobody else may hold. */
  #isOurs(key: string): boolean {
    if (this.#mode === "leave") return false;
    const target = this.#target(key);
    return this.#mode === "drain" ? target === undefined : this.#keptUntil.has(key) || target === this.#node;
  }

  #keepExpired(key: string): void {
    this.#keptUntil.delete(key);
    if (this.#target(key) !== this.#node && !this.#ports.isHeld(key)) this.#set(key, false);
  }

  #target(key: string): string | undefined {
    return this.#placement.of(key, this.#ports.index.pinsOf(key));
  }

  #setSlot(slot: number, isOurs: boolean): void {
    if ((this.#slots[slot] === 1) === isOurs) return;
    this.#slots[slot] = isOurs ? 1 : 0;
    for (const key of this.#ports.index.inSlot(slot)) this.#set(key, isOurs);
  }

  /**
   * Wants a key or stops wanting it. A held key stays wanted until its handover: if the lease were lost before, no other node might
   * want it yet.
   */
  #set(key: string, isOurs: boolean): void {
    if (isOurs === this.#wanted.has(key)) return;
    if (isOurs) this.#wanted.add(key);
    else if (this.#ports.isHeld(key) && this.#ports.index.has(key)) return;
    else this.#wanted.delete(key);
    this.#emit(isOurs ? { do: "want", key } : { do: "unwant", key });
  }
}
