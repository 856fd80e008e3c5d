/** What an exchange tells of the one who asks: whether it can read a stream, and that it has gone. */

import { Stop, type StopSignal } from "../../stop.ts";
import type { Exchange } from "../door.ts";

export function acceptsEvents(exchange: Exchange): boolean {
  return exchange.header("accept")?.includes("text/event-stream") ?? false;
}

/** Aborted when the caller hangs up before it has its whole answer. */
export function leaving({ response }: Exchange): StopSignal {
  const left = new Stop();
  response.on("close", () => {
    if (!response.writableEnded) left.abort();
  });
  return left;
}
