/** The hub and its sources as health, registry and console show them. */
import type { Hub } from "../core/hub.ts";
import type { HouseStatus, HubStatus, SourceSummary } from "../doors/door.ts";
import type { HttpServer } from "../doors/http/server.ts";
import type { Source } from "../sources/source.ts";
import { VERSION } from "../version.ts";

/** `startedAt` in milliseconds since 1970. */
export function hubStatus(hub: Hub, startedAt: number, server?: Pick<HttpServer, "unreadBytes" | "open">): HubStatus {
  return {
    version: VERSION,
    startedUtc: new Date(startedAt).toISOString(),
    uptimeSeconds: Math.round((Date.now() - startedAt) / 1_000),
    callsInFlight: hub.inFlight,
    unreadBytes: server?.unreadBytes ?? 0,
    open: server?.open ?? [],
    sources: hub.sources().map((source) => summaryOf(source, hub.toolCount(source.name))),
  };
}

function summaryOf(source: Source, tools: number): SourceSummary {
  const { name, kind, look, isMcp = false, isElsewhere } = source;
  const { state, restarts, lastError = null, progress = null, lastSeen, revision = null, log } = source.status();
  const lastSeenUtc = lastSeen === undefined ? null : new Date(lastSeen).toISOString();
  return {
    name,
    kind,
    look,
    isMcp,
    ...(isElsewhere && { isElsewhere }),
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
  const { name, isElsewhere } = source;
  const place = isElsewhere && { isElsewhere };
  return { name, url, state, ...place, pingMs, entities, lastSuccessUtc, obstacle };
}
