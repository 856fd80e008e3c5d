/** `GET /metrics`: counters as they were kept, and beside them what is so right now. */
import type { Exposition } from "../../observe/prometheus.ts";
import type { Exchange } from "../door.ts";
import { isUp, type Monitored } from "./monitored.ts";

export async function metricsOf(context: Monitored, exchange: Exchange): Promise<Exposition> {
  const { version, callsInFlight, unreadBytes, open, sources } = context.status();
  const { healthy, reconnecting, idle } = context.bridgeSessions.counts();
  const present = {
    version,
    callsInFlight,
    unreadBytes,
    open,
    isWritable: context.storeFault() === undefined,
    queue: context.queue(),
    sessions: { healthy, reconnecting, idle },
    sources: sources.map((source) => ({
      name: source.name,
      restarts: source.restarts,
      isUp: isUp(source, context),
    })),
  };
  return context.statistics.forPrometheus(present, exchange.header("accept"));
}
