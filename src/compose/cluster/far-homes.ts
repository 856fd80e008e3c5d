/**
 * Homes that another node holds, for those who look at the houses here: asked for once, and followed for as long as anybody looks.
 * A home is told by one node at a time; what a node says of a home that it has handed on counts no more.
 */
import type { Peer } from "../../cluster/peer.ts";
import type { HomeChange, HomeView, HouseListener, HouseLive } from "../../doors/live/views.ts";
import type { Look } from "../../nodes/feeds.ts";

/** What one node tells of its homes at a time. */
export type HomesBatch = readonly HomeChange[];

/** Gathers what changes in the homes of this node, for another one. */
export function lookAtHomes(own: HouseLive): Look<HomesBatch> {
  let changes: HomesBatch = [];
  const home = (change: HomeChange): void => {
    changes = withChange(changes, change);
  };
  const close = own.watch({ house: () => {}, home });
  const look = (): HomesBatch | undefined => {
    const batch = changes;
    changes = [];
    return batch.length === 0 ? undefined : batch;
  };
  return { look, close };
}

/** A whole home makes what was to be told of it needless; of each entity the last state is enough. */
export function withChange(changes: HomesBatch, change: HomeChange): HomesBatch {
  const others = changes.filter(({ name }) => name !== change.name);
  if (!change.entities) return [...others, change];
  const before = changes.filter(({ name }) => name === change.name);
  const known = before.flatMap(({ entities = [] }) => entities);
  const entities = new Map([...known, ...change.entities].map((entity) => [entity.id, entity]));
  return [...others, ...before.filter((one) => !one.entities), { name: change.name, entities: [...entities.values()] }];
}

interface FarHomesSetup {
  readonly own: HouseLive;
  /** Whether this node holds the source of that name. */
  isOurs(name: string): boolean;
  others(): readonly Peer[];
  onMembers(listener: () => void): () => void;
  /** Asks the other nodes for their homes. */
  ask(): Promise<readonly HomeView[]>;
  /** Has the other nodes tell of their homes, until the returned function is called. */
  watch(take: (from: Peer, batch: HomesBatch) => void): () => void;
}

/** The houses of all nodes. The simulated house is in the database, so that every node sees it by itself. */
export class AllHomes implements HouseLive {
  readonly #setup: FarHomesSetup;
  readonly #listeners = new Set<HouseListener>();
  /** Who tells of each home. */
  readonly #tellers = new Map<string, Peer>();
  #stop: (() => void) | undefined;

  constructor(setup: FarHomesSetup) {
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
    void this.#welcome(listener);
    return () => {
      stopOwn();
      this.#left(listener);
    };
  }

  /** What has changed since it last read must not be lost. */
  async #welcome(listener: HouseListener): Promise<void> {
    const homes = await this.#setup.ask();
    if (this.#listeners.has(listener)) for (const home of homes) listener.home({ name: home.name, home });
  }

  #left(listener: HouseListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#tellers.clear();
  }

  #take(from: Peer, batch: HomesBatch): void {
    for (const change of batch) if (this.#isToBelieve(from, change)) this.#tell(change);
  }

  #isToBelieve(from: Peer, { name, removed = false }: HomeChange): boolean {
    if (this.#setup.isOurs(name)) return false;
    const isTeller = this.#tellers.get(name)?.boot === from.boot;
    if (removed) return isTeller && this.#tellers.delete(name);
    this.#tellers.set(name, from);
    return true;
  }

  #membersChanged(): void {
    const alive = new Set(this.#setup.others().map(({ boot }) => boot));
    for (const [name, { boot }] of this.#tellers)
      if (!alive.has(boot) && this.#tellers.delete(name)) this.#tell({ name, removed: true });
  }

  #tell(change: HomeChange): void {
    for (const listener of this.#listeners) listener.home(change);
  }
}
