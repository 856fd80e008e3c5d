/** The hub and its sources as health, registry and console show them. */
import type { Hub } from "../core/hub.ts";
import type { HouseStatus, HubStatus, SourceSummary } from "../doors/door.ts";
import type { HttpServer } from "../doors/http/server.ts";
import type { Source } from "../sources/source.ts";
import { VERSION } from "../version.ts";

interface StatusSetup {
  readonly hub: Hub;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly server?: Pick<HttpServer, "unreadBytes" | "open"> | undefined;
  /** The node that holds a source, where there are several: see `SourceSummary`. */
  nodeOf?(source: string): string | null | undefined;
}

export function hubStatus({ hub, startedAt, server, nodeOf }: StatusSetup): HubStatus {
  return {
    version: VERSION,
    startedUtc: new Date(startedAt).toISOString(),
    uptimeSeconds: Math.round((Date.now() - startedAt) / 1_000),
    callsInFlight: hub.inFlight,
    unreadBytes: server?.unreadBytes ?? 0,
    open: server?.open ?? [],
    sources: hub.sources().map((source) => {
      return { ...summaryOf(source, hub.toolCount(source.name)), ...(nodeOf && { node: nodeOf(source.name) }) };
    }),
  };
}

function summaryOf(source: Source, tools: number): SourceSummary {
  const { name, kind, look, isMcp = false } = source;
  const {
    state,
    restarts,
    lastError = null,
    progress = null,
    lastSeen,
    revision = null,
    log,
  } = source.reportedStatus?.() ?? source.status();
  const lastSeenUtc = lastSeen === undefined ? null : new Date(lastSeen).toISOString();
  return {
    name,
    kind,
    look,
    isMcp,
    state,
    transport: kind,
    tools,
    restarts,
    revision,
    lastSeenUtc,
    lastError,
    progress,
    log,
  };
}

/** How every house that runs Home Assistant is. */
export function housesAmong(sources: readonly Source[]): readonly HouseStatus[] {
  return sources.filter(({ kind }) => kind === "home-assistant").map(houseOf);
}

function houseOf(source: Source): HouseStatus {
  const { state, obstacle } = source.status();
  const { url = "", pingMs, entities, lastSuccessAt } = source.health?.() ?? {};
  const lastSuccessUtc = lastSuccessAt === undefined ? null : new Date(lastSuccessAt).toISOString();
  return { name: source.name, url, state, pingMs, entities, lastSuccessUtc, obstacle };
}
