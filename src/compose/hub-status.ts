/** The hub and its sources as health, registry and console show them. */
import type { Hub } from "../core/hub.ts";
import type { HubStatus, SourceSummary } from "../doors/door.ts";
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
  const { name, kind, isMcp = false } = source;
  const { state, restarts, lastError = null, progress = null, lastSeen, revision = null, log } = source.status();
  const lastSeenUtc = lastSeen === undefined ? null : new Date(lastSeen).toISOString();
  return {
    name,
    kind,
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
