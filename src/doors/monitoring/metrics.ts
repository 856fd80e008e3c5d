/** `GET /metrics`: counters as they were kept, and beside them what is so right now. */
import { isLimited } from "../../core/access.ts";
import { ZaguanError } from "../../errors.ts";
import type { Exposition } from "../../observe/prometheus.ts";
import type { Exchange } from "../door.ts";
import { isUp, type Monitored } from "./monitored.ts";

/** It names every source, and a limited caller is to know of none but its own. */
export async function metricsOf(context: Monitored, exchange: Exchange): Promise<Exposition> {
  if (isLimited(exchange.principal)) throw new ZaguanError("FORBIDDEN");
  const { version, callsInFlight, unreadBytes, sources } = context.status();
  const { healthy, reconnecting, idle } = context.bridgeSessions.counts();
  const present = {
    ...{ version, callsInFlight, unreadBytes, isWritable: context.storeFault() === undefined },
    queue: context.queue(),
    sessions: { healthy, reconnecting, idle },
    sources: sources.map((source) => ({
      ...{ name: source.name, restarts: source.restarts },
      isUp: isUp(source, context),
    })),
  };
  return context.statistics.forPrometheus(present, exchange.header("accept"));
}
