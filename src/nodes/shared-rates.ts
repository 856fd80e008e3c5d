/**
 * Rate limits over all nodes. Every node has a token bucket with the whole budget of each principal and admits calls without asking
 * the others; once a second the nodes exchange how many calls they admitted, and each charges those of the others to its own
 * buckets. A client that spreads its calls can thus get its burst once at every node, and then waits until the debt is repaid.
 * While NATS is away, a node grants each principal only the share of the budget that it last used at this node.
 */
import type { Clock } from "../core/ports.ts";
import { bucketsFor, type Rates } from "../core/shared/rates.ts";
import type { TokenBuckets } from "../core/structures/token-bucket.ts";

/** How many calls of each principal a node has admitted since its last report. */
export type UsageReport = readonly (readonly [account: string, calls: number])[];

interface RatesSetup {
  readonly clock: Pick<Clock, "now">;
  /** Calls per minute and principal; 0 for no limit. Read at every call: the file may change. */
  perMinute(): number;
  /** Whether NATS is connected. */
  isConnected(): boolean;
  /** How many nodes are alive, including this one. */
  nodes(): number;
  /** Sends a report to all other nodes. */
  send(used: UsageReport): void;
}

interface Usage {
  /** Calls that were admitted here and not reported yet. */
  unreported: number;
  /** Admitted calls here and at other nodes, as sums that decay every second. */
  here: number;
  elsewhere: number;
}

/** The factor by which past usage decays each second. */
const DECAY = 0.9;
/** Usage below this is treated as none. */
const NEGLIGIBLE = 0.01;
/** The smallest share of its budget that a node without NATS grants a principal, even if all its calls went to other nodes. */
const MIN_SHARE = 0.1;

export class SharedRates implements Rates {
  readonly #setup: RatesSetup;
  readonly #usages = new Map<string, Usage>();
  #perMinute = 0;
  #buckets: TokenBuckets | undefined;
  /** The number of nodes when NATS was last connected. */
  #nodes = 1;

  constructor(setup: RatesSetup) {
    this.#setup = setup;
  }

  take(account: string, now: number): number {
    const buckets = this.#current();
    if (!buckets) return 0;
    const cost = this.#setup.isConnected() ? 1 : 1 / this.#shareOf(account);
    const waitMs = buckets.take(account, now, cost);
    if (waitMs === 0) this.#usageOf(account).unreported++;
    return waitMs;
  }

  /** To be called once a second: sends the report and decays past usage. */
  tick(): void {
    if (!this.#setup.isConnected()) return;
    this.#nodes = this.#setup.nodes();
    const used = [...this.#usages].flatMap(([id, { unreported }]) =>
      unreported > 0 ? [[id, unreported] as const] : [],
    );
    if (used.length > 0 && this.#nodes > 1) this.#setup.send(used);
    for (const [id, usage] of this.#usages) if (decay(usage)) this.#usages.delete(id);
  }

  /** Charges the calls that another node has admitted. */
  received(used: UsageReport): void {
    const now = this.#setup.clock.now();
    for (const [id, calls] of used) {
      this.#current()?.charge(id, now, calls);
      this.#usageOf(id).elsewhere += calls;
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

  /** The share of a principal's calls that this node admitted, as far as known. */
  #shareOf(account: string): number {
    const { here, elsewhere } = this.#usages.get(account) ?? { here: 0, elsewhere: 0 };
    return here + elsewhere < NEGLIGIBLE ? 1 / this.#nodes : Math.max(MIN_SHARE, here / (here + elsewhere));
  }

  #usageOf(account: string): Usage {
    const known = this.#usages.get(account);
    if (known) return known;
    const usage: Usage = { unreported: 0, here: 0, elsewhere: 0 };
    this.#usages.set(account, usage);
    return usage;
  }
}

/** Moves unreported calls into the decaying sums; returns whether what is left is negligible. */
function decay(usage: Usage): boolean {
  usage.here = usage.here * DECAY + usage.unreported;
  usage.elsewhere *= DECAY;
  usage.unreported = 0;
  return usage.here + usage.elsewhere < NEGLIGIBLE;
}
