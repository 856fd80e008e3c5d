/** The hub as it is now: one stream of events, taken apart into what pages show. */
import type {
  CallRow,
  CallsChange,
  Figures,
  Hello,
  HomeChange,
  HomeView,
  HouseView,
  LiveEvents,
  PrincipalView,
  ServerLive,
  ToolsChange,
} from "../../doors/live/views.ts";
import { ask } from "./api.ts";
import { keyWanted } from "./key.ts";
import { eventsIn, Silence } from "./sse.ts";
import { Store } from "./store.ts";

export interface Calls {
  /** The newest first. */
  readonly ended: readonly CallRow[];
  readonly running: readonly CallRow[];
  readonly inFlight: number;
  /** How many calls ended since the page was opened without being sent to it: in a flood the hub leaves some out. */
  readonly skipped: number;
}

const MOST_CALLS = 1_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** The hub sends figures every two seconds; its first event may take as long as its servers do to answer. */
const LONGEST_SILENCE_MS = 20_000;

export const link: Store<"connecting" | "open" | "lost"> = new Store("connecting");
export const me: Store<PrincipalView | undefined> = new Store(undefined);
export const hub: Store<Pick<Hello, "version" | "startedUtc" | "node"> | undefined> = new Store(undefined);
export const servers: Store<readonly ServerLive[]> = new Store([]);
export const tools: Store<ToolsChange> = new Store({ count: 0, clashes: [] });
export const calls: Store<Calls> = new Store({ ended: [], running: [], inFlight: 0, skipped: 0 });
export const house: Store<HouseView | null> = new Store(null);
export const homes: Store<readonly HomeView[]> = new Store([]);
export const figures: Store<Figures | undefined> = new Store(undefined);

/** Follows the hub for as long as the page is open: when the stream breaks, it is opened again. */
export async function follow(): Promise<never> {
  let wait = FIRST_WAIT_MS;
  for (;;) {
    try {
      await readStream(() => {
        wait = FIRST_WAIT_MS;
      });
    } catch {
      // The next attempt tells whether it still fails.
    }
    link.set("lost");
    await pause(wait);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

async function readStream(opened: () => void): Promise<void> {
  const silence = new Silence(LONGEST_SILENCE_MS);
  try {
    const { signal } = silence;
    const answer = await ask("GET", "/events", { headers: { accept: "text/event-stream" }, signal });
    if (!answer.body) return;
    for await (const { name, data } of eventsIn(answer.body)) {
      silence.heard();
      if (name === "hello") opened();
      take(name as keyof LiveEvents, JSON.parse(data));
    }
  } finally {
    silence.end();
  }
}

/** Waits before the next attempt; where a key is wanted, until there is a new one. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (!keyWanted.get()) return void setTimeout(resolve, ms);
    const stop = keyWanted.subscribe(() => {
      stop();
      resolve();
    });
  });
}

const TAKERS: { readonly [Name in keyof LiveEvents]: (data: LiveEvents[Name]) => void } = {
  hello: takeHello,
  servers: ({ changed, removed }) => servers.change((known) => changedServers(known, changed, removed)),
  tools: (data) => tools.set(data),
  calls: (data) => calls.change((known) => moreCalls(known, data)),
  house: (data) => house.set(data.house),
  home: (data) => homes.change((known) => changedHomes(known, data)),
  figures: (data) => figures.set(data),
};

function take<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): void {
  if (Object.hasOwn(TAKERS, name)) TAKERS[name](data);
}

function takeHello(hello: Hello): void {
  me.set(hello.principal);
  hub.set({ version: hello.version, startedUtc: hello.startedUtc, node: hello.node });
  servers.set(hello.servers);
  tools.set(hello.tools);
  calls.set({ ...hello.calls, skipped: 0 });
  house.set(hello.house);
  homes.set(hello.homes);
  figures.set(hello.figures ?? undefined);
  keyWanted.set(false);
  link.set("open");
}

export function changedServers(
  known: readonly ServerLive[],
  changed: readonly ServerLive[],
  removed: readonly string[],
): readonly ServerLive[] {
  const news = new Map(changed.map((server) => [server.name, server]));
  const stayed = known.filter(({ name }) => !removed.includes(name)).map((server) => news.get(server.name) ?? server);
  const names = new Set(known.map(({ name }) => name));
  return [...stayed, ...changed.filter(({ name }) => !names.has(name))];
}

export function moreCalls(known: Calls, { ended, skipped, running, inFlight }: CallsChange): Calls {
  const all = ended.length === 0 ? known.ended : [...ended, ...known.ended].slice(0, MOST_CALLS);
  return { ended: all, running, inFlight, skipped: known.skipped + skipped };
}

export function changedHomes(known: readonly HomeView[], change: HomeChange): readonly HomeView[] {
  if (change.removed) return known.filter(({ name }) => name !== change.name);
  const { home, entities = [] } = change;
  if (home) {
    const isKnown = known.some(({ name }) => name === home.name);
    return isKnown ? known.map((one) => (one.name === home.name ? home : one)) : [...known, home];
  }
  const news = new Map(entities.map((entity) => [entity.id, entity]));
  return known.map((one) => (one.name === change.name ? withEntities(one, news) : one));
}

function withEntities(
  home: HomeView,
  news: ReadonlyMap<string, HomeView["areas"][number]["entities"][number]>,
): HomeView {
  const areas = home.areas.map((area) => {
    if (!area.entities.some(({ id }) => news.has(id))) return area;
    return { ...area, entities: area.entities.map((entity) => news.get(entity.id) ?? entity) };
  });
  return { ...home, areas };
}
