/** Where the caller has reached us, for descriptions that name it. */
import type { Exchange } from "../door.ts";

/** `Host` has been checked; whether a proxy speaks TLS only the proxy can say. */
export function addressOf(exchange: Exchange): string {
  const scheme = exchange.header("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${exchange.header("host")}`;
}
