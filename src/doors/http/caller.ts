/** What an exchange tells of the one who asks: whether it can read a stream, and that it has gone. */
import type { Exchange } from "../door.ts";

export function acceptsEvents(exchange: Exchange): boolean {
  return exchange.header("accept")?.includes("text/event-stream") ?? false;
}

/** Aborted when the caller hangs up before it has its whole answer. */
export function leaving(exchange: Exchange): AbortSignal {
  const controller = new AbortController();
  exchange.response.on("close", () => {
    if (!exchange.response.writableEnded) controller.abort();
  });
  return controller.signal;
}
