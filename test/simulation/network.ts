/** The wire between nodes: in order and fast as a rule; lossy, late, doubling or cut where faults make it so. */
import type { ClusterMessage } from "../../src/cluster/cluster-node.ts";
import type { Peer } from "../../src/cluster/peer.ts";
import type { World } from "./world.ts";

export interface Wire {
  /** True where a process of this boot took it. */
  deliver(from: Peer, to: Peer, message: ClusterMessage): boolean;
  /** The bus tells the sender that nobody was there. */
  bounce(from: Peer, to: Peer, message: ClusterMessage): void;
}

/** How the wire treats messages. */
export interface Weather {
  loss: number;
  late: number;
  double: number;
}

export const CALM: Weather = { loss: 0, late: 0, double: 0 };

export class Network {
  weather: Weather = CALM;
  /** Pairs "from>to" that are cut. */
  readonly cut = new Set<string>();
  isAway = false;
  delivered = 0;
  readonly #world: World;
  readonly #wire: Wire;
  readonly #lastArrival = new Map<string, number>();

  constructor(world: World, wire: Wire) {
    this.#world = world;
    this.#wire = wire;
  }

  send(from: Peer, to: Peer, message: ClusterMessage): void {
    if (from.boot === to.boot) {
      this.#world.after(0, () => void this.#wire.deliver(from, to, message));
      return;
    }
    const { weather } = this;
    if (this.#world.happens(weather.loss)) {
      this.#lost(from, to, message);
      return;
    }
    if (this.#world.happens(weather.double)) this.#arrive(from, to, message, this.#world.between(1, 2_000), false);
    if (this.#world.happens(weather.late)) {
      this.#arrive(from, to, message, this.#world.between(5, 3_000), false);
      return;
    }
    this.sendInOrder(from, to, message);
  }

  sendInOrder(from: Peer, to: Peer, message: ClusterMessage): void {
    const link = `${from.boot}>${to.boot}`;
    const at = Math.max(this.#world.now + this.#world.between(0.1, 2), this.#lastArrival.get(link) ?? 0);
    this.#lastArrival.set(link, at);
    this.#arrive(from, to, message, at - this.#world.now, true);
  }

  sendLate(from: Peer, to: Peer, message: ClusterMessage, ms: number): void {
    this.#arrive(from, to, message, ms, false);
  }

  #arrive(from: Peer, to: Peer, message: ClusterMessage, ms: number, mayBounce: boolean): void {
    this.#world.after(ms, () => {
      if (this.isAway || this.cut.has(`${from.node}>${to.node}`)) return this.#lost(from, to, message);
      this.delivered++;
      const isTaken = this.#wire.deliver(from, to, message);
      if (!isTaken && mayBounce && this.#world.happens(0.5)) this.#wire.bounce(from, to, message);
    });
  }

  #lost(from: Peer, to: Peer, message: ClusterMessage): void {
    if (message.kind !== "beat")
      this.#world.note(() => `${from.node} ⇢ ${to.node} lost ${JSON.stringify(message).slice(0, 120)}`);
  }
}
