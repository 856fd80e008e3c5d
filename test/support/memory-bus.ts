/**
 * The bus between nodes that are all in this process, with the contract of `src/bus/bus.ts`: messages arrive later and in their
 * order, a node can be cut off, and what is sent to one that is not there is reported as unheard.
 */
import { randomUUID } from "node:crypto";
import type { Bus, BusCounts, BusListener, BusMessage, BusState, Receiver } from "../../src/bus/bus.ts";

export class MemoryNetwork {
  readonly #buses = new Map<string, MemoryBus>();

  open(node: string): MemoryBus {
    const bus = new MemoryBus(node, this);
    this.#buses.set(node, bus);
    return bus;
  }

  /** From now on it neither hears nor says anything, and knows that; the returned function ends it. */
  cut(node: string): () => void {
    const bus = this.#buses.get(node);
    this.#buses.delete(node);
    bus?.changed("away");
    return () => {
      if (bus) this.#buses.set(node, bus);
      bus?.changed("connected");
    };
  }

  has(bus: MemoryBus): boolean {
    return this.#buses.get(bus.node) === bus;
  }

  others(bus: MemoryBus): readonly MemoryBus[] {
    return [...this.#buses.values()].filter((one) => one !== bus);
  }

  find(node: string): MemoryBus | undefined {
    return this.#buses.get(node);
  }
}

class MemoryBus implements Bus {
  readonly node: string;
  readonly boot: string = randomUUID();
  readonly #network: MemoryNetwork;
  readonly #listeners = new Set<BusListener>();
  readonly #unheard = new Set<(to: string, number: number) => void>();
  readonly #watchers = new Set<(state: BusState) => void>();
  #link: BusState["link"] = "connected";
  #count = 0;

  constructor(node: string, network: MemoryNetwork) {
    this.node = node;
    this.#network = network;
  }

  send({ node, boot }: Receiver, message: BusMessage): number {
    if (!this.#network.has(this) || node === this.node) return 0;
    const number = ++this.#count;
    setImmediate(() => {
      const receiver = this.#network.find(node);
      if (!receiver) for (const listener of this.#unheard) listener(node, number);
      else if (boot === undefined || boot === receiver.boot) receiver.take(this, message);
    });
    return number;
  }

  cast(message: BusMessage): number {
    if (!this.#network.has(this)) return 0;
    const receivers = this.#network.others(this);
    setImmediate(() => {
      for (const receiver of receivers) receiver.take(this, message);
    });
    return ++this.#count;
  }

  /** A message of another node; one that was cut off meanwhile does not get it. */
  take({ node, boot }: MemoryBus, message: BusMessage): void {
    if (this.#network.has(this)) for (const listener of this.#listeners) listener({ node, boot }, message);
  }

  changed(link: BusState["link"]): void {
    this.#link = link;
    for (const watcher of this.#watchers) watcher(this.state());
  }

  listen(listener: BusListener): () => void {
    return added(this.#listeners, listener);
  }

  watchUnheard(listener: (to: string, number: number) => void): () => void {
    return added(this.#unheard, listener);
  }

  watch(listener: (state: BusState) => void): () => void {
    return added(this.#watchers, listener);
  }

  state(): BusState {
    return { link: this.#link };
  }

  counts(): BusCounts {
    throw new TypeError("nobody counts here");
  }

  async close(): Promise<void> {
    if (this.#network.has(this)) this.#network.cut(this.node);
    this.changed("closed");
  }
}

function added<T>(set: Set<T>, item: T): () => void {
  set.add(item);
  return () => set.delete(item);
}
