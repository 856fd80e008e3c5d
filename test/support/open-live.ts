/** The door for those who watch, over a real port, before a hub whose every change is the test's; and its clock, too. */
import { mock } from "node:test";
import type { Principal } from "../../src/core/call.ts";
import type { HubEvent } from "../../src/core/events.ts";
import type { CallBoard, DoorContext, HubStatus, SourceSummary } from "../../src/doors/door.ts";
import { live } from "../../src/doors/live/index.ts";
import type { CallDetail, CallRow, HomeView, HouseListener, HouseView } from "../../src/doors/live/views.ts";
import { Statistics } from "../../src/observe/statistics.ts";
import { LiveStream } from "./live-stream.ts";
import { type OpenDoors, openDoors } from "./open-doors.ts";

export const TICK_MS = 250;

export const DARK: HouseView = {
  lights: { salon: false },
  alarm: false,
  presence: { present: false, known_people: [] },
};

export function aRow(id: number, more: Partial<CallRow> = {}): CallRow {
  return {
    id,
    startedUtc: "2026-01-02T03:04:05.000Z",
    door: "http",
    principal: "local",
    tool: "lamp",
    source: "house",
    priority: "MEDIUM",
    state: "ended",
    queuedMs: 0,
    ms: 1,
    outcome: "ok",
    cached: false,
    attempts: 1,
    ...more,
  };
}

export interface OpenLive extends OpenDoors {
  /** What the hub knows; to be changed at will. */
  sources: SourceSummary[];
  ended: CallRow[];
  running: CallRow[];
  cancelled: number[];
  house: HouseView | null;
  homes: HomeView[];
  /** Who asked for calls. */
  readonly askers: Set<string>;
  readonly eventListeners: Set<(event: HubEvent) => void>;
  readonly houseListeners: Set<HouseListener>;
  readonly statistics: Statistics;
  /** Holds every list of tools back until it resolves. */
  listing: Promise<void>;
  emit(event: HubEvent): void;
  /** Lets so many quarters of a second pass, each with all that follows from it. */
  tick(times?: number): Promise<void>;
  watch(headers?: Readonly<Record<string, string>>): Promise<LiveStream>;
}

export interface LiveOptions {
  /** Who comes with `x-api-key: NAME`; nobody: all are local. */
  readonly principals?: Readonly<Record<string, Principal>>;
  readonly local: Principal;
  /** Where the hub is to be one node of several. */
  readonly cluster?: DoorContext["cluster"];
}

/** Timers stand still until `tick`; whoever opens it resets them. */
export async function openLive({ principals = {}, local, cluster }: LiveOptions): Promise<OpenLive> {
  mock.timers.enable({ apis: ["setInterval"] });
  const state = { sources: [] as SourceSummary[], ended: [] as CallRow[], running: [] as CallRow[], house: DARK };
  const own = {
    ...state,
    house: DARK as HouseView | null,
    homes: [] as HomeView[],
    listing: Promise.resolve(),
    cancelled: [] as number[],
    askers: new Set<string>(),
    statistics: new Statistics(),
    eventListeners: new Set<(event: HubEvent) => void>(),
    houseListeners: new Set<HouseListener>(),
  };
  const context: Partial<DoorContext> = {
    status: (): HubStatus => ({
      version: "9.9.9",
      startedUtc: "2026-01-01T00:00:00.000Z",
      uptimeSeconds: 7,
      callsInFlight: own.running.length,
      unreadBytes: 0,
      open: [],
      sources: own.sources,
    }),
    statistics: own.statistics,
    calls: boardOf(own),
    cluster,
    onEvent: (listener) => joined(own.eventListeners, listener),
    houseLive: {
      house: async () => own.house,
      homes: async () => own.homes,
      setPresence: async () => undefined,
      watch: (listener) => joined(own.houseListeners, listener),
    },
  };
  const authenticate = async (headers: Readonly<Record<string, unknown>>): Promise<Principal> =>
    principals[String(headers["x-api-key"])] ?? local;
  const doors = await openDoors([live], { context, authenticate, settings: { connections: 1_000 } });
  const listTools = doors.gateway.listTools.bind(doors.gateway);
  doors.gateway.listTools = async (...asked) => {
    await own.listing;
    return listTools(...asked);
  };
  return Object.assign(own, doors, {
    emit: (event: HubEvent) => {
      for (const listener of [...own.eventListeners]) listener(event);
    },
    tick: async (times = 1) => {
      for (let turn = 0; turn < times; turn++) {
        mock.timers.tick(TICK_MS);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    watch: (headers: Readonly<Record<string, string>> = {}) => LiveStream.open(doors.url, headers),
  });
}

function joined<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whoever is no administrator sees the calls under its own name. */
function boardOf(own: Pick<OpenLive, "ended" | "running" | "cancelled" | "askers">): CallBoard {
  const fits = (principal: Principal, row: CallRow): boolean => {
    own.askers.add(principal.name);
    return principal.admin === true || row.principal === principal.name;
  };
  const find = (id: number, principal: Principal): CallRow | undefined =>
    [...own.running, ...own.ended].find((row) => row.id === id && fits(principal, row));
  return {
    get ended() {
      return own.ended.length;
    },
    since: (place, limit, principal) =>
      own.ended
        .slice(place)
        .reverse()
        .filter((row) => fits(principal, row))
        .slice(0, limit),
    running: (principal, limit) => own.running.filter((row) => fits(principal, row)).slice(0, limit),
    underWay: (principal) => {
      const rows = own.running.filter((row) => fits(principal, row));
      return { count: rows.length, mark: rows.map(({ id, state }) => `${id}${state}`).join() };
    },
    find: (id, principal) => {
      const row = find(id, principal);
      return row && ({ ...row, ...DETAIL } satisfies CallDetail);
    },
    cancel: (id, principal) => {
      const row = find(id, principal);
      if (row?.state === "ended") return "ended";
      if (row) own.cancelled.push(id);
      return row && "cancelled";
    },
  };
}

const DETAIL = {
  method: "tools/call",
  language: "en",
  deadlineMs: 30_000,
  args: { on: true },
  argsKept: true,
  steps: [{ name: "authorize", atMs: 0, ms: 1 }],
  retries: [],
};
