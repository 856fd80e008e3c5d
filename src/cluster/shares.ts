/**
 * Which keys this node wants, and which it hands over: a state machine over the table of slots. What a node that is gone had is
 * wanted at once; what another node should hold instead of us is handed over only after the members have stayed the same for a
 * while, a few at a time and while nobody uses it, so that a node that comes and goes moves nothing. A node that drains
 * (weight 0) waits for nothing: what another may hold is handed over, and by one that leaves the rest is ended, too.
 */
import { Placement, SLOTS } from "./placement.ts";

/** The keys of the whole cluster, as this node knows them. */
export interface KeyIndex {
  /** Those that are pinned nowhere. */
  inSlot(slot: number): Iterable<string>;
  pinned(): Iterable<readonly [key: string, nodes: readonly string[]]>;
  /** Undefined where it is pinned nowhere. */
  pinsOf(key: string): readonly string[] | undefined;
  has(key: string): boolean;
}

export type ShareEffect =
  | { readonly do: "want"; readonly key: string }
  | { readonly do: "unwant"; readonly key: string }
  | { readonly do: "handover"; readonly key: string; readonly to: string | undefined };

/**
 * "share": it takes its part. "drain": it takes nothing and hands over what another node may hold; it goes on running. "leave": it
 * ends, so that it lets go of everything.
 */
export type ShareMode = "share" | "drain" | "leave";

interface SharePorts {
  readonly index: KeyIndex;
  /** Keys that are held now and not being let go. */
  held(): Iterable<string>;
  isHeld(key: string): boolean;
  /** Whether a call runs or waits for it. */
  isBusy(key: string): boolean;
  /** Whether clients of this node wait for a call, of whatever key. */
  hasCallers(): boolean;
}

const SETTLE_MS = 5_000;
/** Handovers that have begun and not ended. */
const AT_ONCE = 16;
/** A key that was just handed to us stays, even where our table says otherwise. */
const STAY_MS = 30_000;

export class Shares {
  readonly #node: string;
  readonly #ports: SharePorts;
  readonly #emit: (effect: ShareEffect) => void;
  #placement = new Placement([]);
  #mode: ShareMode = "share";
  #settledAt = Number.POSITIVE_INFINITY;
  readonly #slots = new Uint8Array(SLOTS);
  readonly #wanted = new Set<string>();
  readonly #leaving = new Set<string>();
  readonly #stays = new Map<string, number>();

  constructor(node: string, ports: SharePorts, emit: (effect: ShareEffect) => void) {
    this.#node = node;
    this.#ports = ports;
    this.#emit = emit;
  }

  /** The table of slots, whenever it may have changed; a node that drains stands in no slot of it. */
  place(placement: Placement, mode: ShareMode, now: number): void {
    this.#placement = placement;
    this.#mode = mode;
    this.#settledAt = mode === "share" ? now + SETTLE_MS : now;
    for (let slot = 0; slot < SLOTS; slot++) this.#setSlot(slot, placement.ofSlot(slot) === this.#node);
    for (const [key, nodes] of this.#ports.index.pinned()) this.#set(key, placement.of(key, nodes) === this.#node);
  }

  /** A key that there was not. */
  added(key: string): void {
    this.#set(key, this.#target(key) === this.#node);
  }

  /** A key that there is no longer: ended without an heir. */
  removed(key: string): void {
    this.#set(key, false);
    if (!this.#ports.isHeld(key) || this.#leaving.has(key)) return;
    this.#leaving.add(key);
    this.#emit({ do: "handover", key, to: undefined });
  }

  /** Another node has let go of it for us. */
  offered(key: string, now: number): void {
    if (this.#mode !== "share" || !this.#ports.index.has(key)) return;
    this.#stays.set(key, now + STAY_MS);
    this.#wanted.add(key);
    this.#emit({ do: "want", key });
  }

  /** It is held no longer, for whatever reason: what it should be by now is said again. */
  ended(key: string): void {
    this.#leaving.delete(key);
    if (!this.#ports.index.has(key)) return;
    const isOurs = this.#isOurs(key);
    if (isOurs) this.#wanted.add(key);
    else this.#wanted.delete(key);
    this.#emit(isOurs ? { do: "want", key } : { do: "unwant", key });
  }

  /** To be called every 50 ms or so. */
  tick(now: number): void {
    for (const [key, until] of this.#stays) if (until <= now) this.#stayed(key);
    if (now < this.#settledAt) return;
    // Where nothing was left to hand over, the next look is a second away: a thousand keys are not gone through each time.
    this.#settledAt = now + (this.#mode === "leave" ? 0 : 1_000);
    const most = this.#mode === "share" ? AT_ONCE : Number.POSITIVE_INFINITY;
    for (const key of this.#ports.held()) if (this.#leaving.size < most) this.#handOver(key);
  }

  #handOver(key: string): void {
    if (this.#leaving.has(key)) return;
    // What is not in the index is a device's socket, which cannot be handed over.
    const to = this.#ports.index.has(key) ? this.#target(key) : undefined;
    if (to === this.#node || (to === undefined && this.#mode !== "leave") || this.#mustStay(key)) return;
    // Nobody else may hold it, so that it goes last: calls of our own clients may need it, and a device that dials again at once
    // may come back to us.
    if (to === undefined && this.#ports.hasCallers()) return;
    this.#leaving.add(key);
    this.#wanted.delete(key);
    this.#stays.delete(key);
    this.#emit({ do: "handover", key, to });
  }

  #mustStay(key: string): boolean {
    return this.#mode === "share" && (this.#stays.has(key) || this.#ports.isBusy(key));
  }

  /** What nobody else may hold is still wanted by a node that drains. */
  #isOurs(key: string): boolean {
    if (this.#mode === "leave") return false;
    const target = this.#target(key);
    return this.#mode === "drain" ? target === undefined : this.#stays.has(key) || target === this.#node;
  }

  #stayed(key: string): void {
    this.#stays.delete(key);
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

  /** What is held stays wanted until it is handed over: if it were lost on the way, nobody else might know of it yet. */
  #set(key: string, isOurs: boolean): void {
    if (isOurs === this.#wanted.has(key)) return;
    if (isOurs) this.#wanted.add(key);
    else if (this.#ports.isHeld(key) && this.#ports.index.has(key)) return;
    else this.#wanted.delete(key);
    this.#emit(isOurs ? { do: "want", key } : { do: "unwant", key });
  }
}
