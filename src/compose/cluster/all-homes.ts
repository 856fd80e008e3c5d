/**
 * The homes (Home Assistant instances) of all nodes, for watchers at this node: those of other nodes are asked for once, then
 * followed for as long as anybody watches. Only one node reports a home at a time; the reports of a previous owner are ignored.
 */
import type { Peer } from "../../cluster/peer.ts";
import type { HomeChange, HomeView, HouseListener, HouseLive } from "../../doors/live/views.ts";
import type { Poller } from "../../nodes/feeds.ts";

/** One message of a node about its homes. */
export type HomesBatch = readonly HomeChange[];

/** Collects changes in the homes of this node for a subscriber at another node. */
export function homePoller(own: HouseLive): Poller<HomesBatch> {
  let changes: HomesBatch = [];
  const home = (change: HomeChange): void => {
    changes = mergeChange(changes, change);
  };
  const close = own.watch({ house: () => {}, home });
  const poll = (): HomesBatch | undefined => {
    const batch = changes;
    changes = [];
    return batch.length === 0 ? undefined : batch;
  };
  return { poll, close };
}

/** Adds a change to a batch: a full home replaces all pending changes of it, and only the last state of each entity is kept. */
export function mergeChange(changes: HomesBatch, change: HomeChange): HomesBatch {
  const others = changes.filter(({ name }) => name !== change.name);
  if (!change.entities) return [...others, change];
  const before = changes.filter(({ name }) => name === change.name);
  const known = before.flatMap(({ entities = [] }) => entities);
  const entities = new Map([...known, ...change.entities].map((entity) => [entity.id, entity]));
  return [...others, ...before.filter((one) => !one.entities), { name: change.name, entities: [...entities.values()] }];
}

interface AllHomesSetup {
  readonly own: HouseLive;
  /** Whether this node holds the source of that name. */
  isOurs(name: string): boolean;
  others(): readonly Peer[];
  onMembers(listener: () => void): () => void;
  /** Asks the other nodes for their homes. */
  ask(): Promise<readonly HomeView[]>;
  /** Subscribes to changes of homes at all other nodes; the returned function unsubscribes. */
  watch(take: (from: Peer, batch: HomesBatch) => void): () => void;
}

/** The homes of all nodes. The simulated house is in the database, where every node reads it. */
export class AllHomes implements HouseLive {
  readonly #setup: AllHomesSetup;
  readonly #listeners = new Set<HouseListener>();
  /** The node that reports each home. */
  readonly #reporters = new Map<string, Peer>();
  #stop: (() => void) | undefined;

  constructor(setup: AllHomesSetup) {
    this.#setup = setup;
    setup.onMembers(() => this.#membersChanged());
  }

  house(): ReturnType<HouseLive["house"]> {
    return this.#setup.own.house();
  }

  setPresence(people: readonly string[]): ReturnType<HouseLive["setPresence"]> {
    return this.#setup.own.setPresence(people);
  }

  async homes(): Promise<readonly HomeView[]> {
    const [own, others] = await Promise.all([this.#setup.own.homes(), this.#setup.ask()]);
    const names = new Set(own.map(({ name }) => name));
    return [...own, ...others.filter(({ name }) => !names.has(name))];
  }

  watch(given: HouseListener): () => void {
    const listener: HouseListener = { house: (now) => given.house(now), home: (change) => given.home(change) };
    const stopOwn = this.#setup.own.watch(listener);
    this.#listeners.add(listener);
    this.#stop ??= this.#setup.watch((from, batch) => this.#take(from, batch));
    void this.#sendCurrent(listener);
    return () => {
      stopOwn();
      this.#left(listener);
    };
  }

  /** Sends a new watcher the current homes: it may have missed changes between its first read and its subscription. */
  async #sendCurrent(listener: HouseListener): Promise<void> {
    const homes = await this.#setup.ask();
    if (this.#listeners.has(listener)) for (const home of homes) listener.home({ name: home.name, home });
  }

  #left(listener: HouseListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#reporters.clear();
  }

  #take(from: Peer, batch: HomesBatch): void {
    for (const change of batch) if (this.#accepts(from, change)) this.#notify(change);
  }

  #accepts(from: Peer, { name, removed = false }: HomeChange): boolean {
    if (this.#setup.isOurs(name)) return false;
    const isReporter = this.#reporters.get(name)?.boot === from.boot;
    if (removed) return isReporter && this.#reporters.delete(name);
    this.#reporters.set(name, from);
    return true;
  }

  #membersChanged(): void {
    const alive = new Set(this.#setup.others().map(({ boot }) => boot));
    for (const [name, { boot }] of this.#reporters)
      if (!alive.has(boot) && this.#reporters.delete(name)) this.#notify({ name, removed: true });
  }

  #notify(change: HomeChange): void {
    for (const listener of this.#listeners) listener.home(change);
  }
}
