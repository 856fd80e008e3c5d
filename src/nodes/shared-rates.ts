/**
 * Limits of calls that hold over all nodes. Every node has the whole budget of each principal and lets calls in without asking
 * anybody; once a second the nodes tell each other how many they let in, and each takes those of the others off its own budget. So a
 * client that spreads its calls may get its burst at every node once, but then has to wait until that is made up for. A node that
 * does not hear the others gives each principal the share that it last had here.
 */
import type { Clock } from "../core/ports.ts";
import { bucketsFor, type Rates } from "../core/shared/rates.ts";
import type { TokenBuckets } from "../core/structures/token-bucket.ts";

/** How many calls of each principal a node let in since it last told. */
export type Used = readonly (readonly [principalId: string, calls: number])[];

interface RatesSetup {
  readonly clock: Pick<Clock, "now">;
  /** Calls per minute and principal; 0 for no limit. Read at every call: the file may change. */
  perMinute(): number;
  /** Whether the others can be told anything. */
  isConnected(): boolean;
  /** How many nodes there are, this one included. */
  nodes(): number;
  /** Tells all others. */
  tell(used: Used): void;
}

interface Use {
  /** Not told yet. */
  untold: number;
  /** What was let in here and elsewhere, each second counting a little less than the next. */
  here: number;
  elsewhere: number;
}

const FADING = 0.9;
/** Below this nothing worth a share was used. */
const NOTHING = 0.01;
/** A principal whose calls came in elsewhere so far gets this part of its budget from a node that is cut off. */
const LEAST_SHARE = 0.1;

export class SharedRates implements Rates {
  readonly #setup: RatesSetup;
  readonly #uses = new Map<string, Use>();
  #perMinute = 0;
  #buckets: TokenBuckets | undefined;
  /** As many as there were when they could last be heard. */
  #nodes = 1;

  constructor(setup: RatesSetup) {
    this.#setup = setup;
  }

  take(principalId: string, now: number): number {
    const buckets = this.#current();
    if (!buckets) return 0;
    const cost = this.#setup.isConnected() ? 1 : 1 / this.#shareOf(principalId);
    const waitMs = buckets.take(principalId, now, cost);
    if (waitMs === 0) this.#use(principalId).untold++;
    return waitMs;
  }

  /** To be called once a second. */
  tick(): void {
    if (!this.#setup.isConnected()) return;
    this.#nodes = this.#setup.nodes();
    const used = [...this.#uses].flatMap(([id, { untold }]) => (untold > 0 ? [[id, untold] as const] : []));
    if (used.length > 0 && this.#nodes > 1) this.#setup.tell(used);
    for (const [id, use] of this.#uses) if (isOver(use)) this.#uses.delete(id);
  }

  /** Another node has told what it let in. */
  heard(used: Used): void {
    const now = this.#setup.clock.now();
    for (const [id, calls] of used) {
      this.#current()?.charge(id, now, calls);
      this.#use(id).elsewhere += calls;
    }
  }

  #current(): TokenBuckets | undefined {
    const perMinute = this.#setup.perMinute();
    if (perMinute !== this.#perMinute) {
      this.#perMinute = perMinute;
      this.#buckets = bucketsFor(perMinute);
    }
    return this.#buckets;
  }

  /** The part of a principal's calls that came in here, while that was known. */
  #shareOf(principalId: string): number {
    const { here, elsewhere } = this.#uses.get(principalId) ?? { here: 0, elsewhere: 0 };
    return here + elsewhere < NOTHING ? 1 / this.#nodes : Math.max(LEAST_SHARE, here / (here + elsewhere));
  }

  #use(principalId: string): Use {
    const known = this.#uses.get(principalId);
    if (known) return known;
    const use: Use = { untold: 0, here: 0, elsewhere: 0 };
    this.#uses.set(principalId, use);
    return use;
  }
}

/** A second has passed. True where nothing of it is left. */
function isOver(use: Use): boolean {
  use.here = use.here * FADING + use.untold;
  use.elsewhere *= FADING;
  use.untold = 0;
  return use.here + use.elsewhere < NOTHING;
}
