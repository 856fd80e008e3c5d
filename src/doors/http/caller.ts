/** What an exchange tells of the one who asks: whether it can read a stream. */
import type { Exchange } from "../door.ts";

export function acceptsEvents(exchange: Exchange): boolean {
  return exchange.header("accept")?.includes("text/event-stream") ?? false;
}
