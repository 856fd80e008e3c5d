/** What monitoring looks at, for its tests: a hub that has done nothing yet, and events of one that has. */
import type { Call } from "../../src/core/call.ts";
import type { HubEvent } from "../../src/core/events.ts";
import type { HouseStatus, HubStatus, SourceSummary } from "../../src/doors/door.ts";
import type { Monitored } from "../../src/doors/monitoring/health.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { type CacheSize, Statistics } from "../../src/observe/statistics.ts";
import { makeCall } from "./make-call.ts";

export interface CallEnd {
  readonly ms?: number;
  readonly queuedMs?: number;
  readonly attempts?: number;
  readonly cached?: boolean;
  readonly error?: ErrorCode;
  readonly call?: Partial<Call>;
}

export function callEnded(end: CallEnd = {}): HubEvent {
  const { ms = 1, queuedMs = 0, attempts = 1, cached = false, error, call } = end;
  const trace = { queuedMs, attempts, cached };
  return { type: "call-ended", call: makeCall({ ...call, trace }), ms, attempts, cached, error };
}

export function aSource(overrides: Partial<SourceSummary> = {}): SourceSummary {
  return {
    name: "tv",
    kind: "stdio",
    isMcp: true,
    state: "ready",
    transport: "stdio",
    tools: 3,
    restarts: 0,
    revision: null,
    lastSeenUtc: null,
    lastError: null,
    progress: null,
    log: [],
    ...overrides,
  };
}

export function aHouse(overrides: Partial<HouseStatus> = {}): HouseStatus {
  return {
    name: "home-assistant",
    url: "http://192.168.1.22:8123",
    state: "ready",
    pingMs: 23,
    entities: 42,
    lastSuccessUtc: "2026-01-02T03:04:05.000Z",
    ...overrides,
  };
}

/** To be given to `openDoors` as `context`; `sources` stand in its status. */
export function monitored(overrides: Partial<Monitored> & { sources?: readonly SourceSummary[] } = {}): Monitored {
  const { sources = [], ...rest } = overrides;
  const status: HubStatus = {
    version: "9.9.9",
    startedUtc: "2026-01-01T00:00:00.000Z",
    uptimeSeconds: 7,
    callsInFlight: 2,
    unreadBytes: 3,
    open: [{ door: "mcp", what: "sessions", count: 4 }],
    sources,
  };
  const byPriority = { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 };
  return {
    status: () => status,
    queue: () => ({ pending: 0, processing: 0, byPriority, estimatedWaitMs: 0 }),
    houses: () => [],
    storeFault: () => undefined,
    statistics: new Statistics(),
    bridgeSessions: { counts: () => ({ total: 0, available: 100, healthy: 0, reconnecting: 0, idle: 0 }) },
    ...rest,
  };
}

export function aCacheOf(entries: number): CacheSize {
  return { entries, maxEntries: 100, bytes: entries * 200, maxBytes: 20_000 };
}
