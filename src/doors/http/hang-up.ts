/** Says a last word on a connection, and ends it: whoever does not close in turn would keep its half, and its place. */
import type { Duplex } from "node:stream";

/** Long enough that what is said is read before the connection is gone. */
const LINGER_MS = 1_000;

export function hangUp(socket: Duplex, said: string): void {
  socket.end(said);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer)).resume();
}
