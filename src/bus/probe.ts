/**
 * Looks whether NATS answers at an address, by the line that it begins with. The client would do it too, but it keeps the socket
 * of whoever accepts a connection and says nothing, and its errors do not tell the cases apart.
 */
import { connect } from "node:net";
import { connectReason } from "../link/http-failures.ts";
import { BusError } from "./bus-error.ts";

const GREETING = "INFO ";

/** Rejects with a BusError of kind "unreachable" or "not-nats", and leaves nothing behind; the signal ends it early. */
export function probeNats(server: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(`nats://${server}`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
  const fail = (error: BusError): void => reject(error);
  const giveUp = (): void => fail(silent(server, socket.connecting));
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener("abort", giveUp, { once: true });
  socket.once("data", (data) => (data.toString("latin1").startsWith(GREETING) ? resolve() : fail(notNats(server))));
  socket.once("error", (cause) => fail(unreachable(server, connectReason(cause), cause)));
  socket.once("close", () => fail(notNats(server)));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    socket.destroy();
  });
}

function silent(server: string, isConnecting: boolean): BusError {
  return isConnecting ? unreachable(server, "timeout") : notNats(server);
}

function unreachable(server: string, reason: string, cause?: unknown): BusError {
  return new BusError("unreachable", `NATS cannot be reached at ${server}: ${reason}`, cause);
}

function notNats(server: string): BusError {
  return new BusError("not-nats", `What answers at ${server} is not NATS`);
}
