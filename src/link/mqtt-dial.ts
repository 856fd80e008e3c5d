/**
 * Opens a stream of bytes to an MQTT broker, over TCP, TLS or a WebSocket, through the guard against private and our own
 * addresses. Certificates are read with each attempt, so that renewed ones are taken up.
 */
import { readFile } from "node:fs/promises";
import { connect as connectTcp, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { makeGuard } from "../security/outbound.ts";
import { certificateReason, connectReason, givenUp, unavailable } from "./http-failures.ts";
import { type DialOptions, dial } from "./websocket-dial.ts";

export interface TlsFiles {
  /** Paths of files in PEM. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly rejectUnauthorized: boolean;
}

export interface BrokerDialOptions {
  /** `mqtt:`, `mqtts:`, `ws:` or `wss:`. */
  readonly url: string;
  readonly tls: TlsFiles;
  readonly allowPrivate: boolean;
  /** The source's name, for error texts. */
  readonly name: string;
  /** The size limit of one packet. */
  readonly maxBytes: number;
}

/** With the contents of the files of `TlsFiles`. */
type TlsSettings = NonNullable<DialOptions["tls"]>;

const CONNECT_MS = 10_000;
const PORTS: Readonly<Record<string, number>> = { "mqtt:": 1883, "mqtts:": 8883 };
const BAD_URL = "its configured URL or headers are not valid";
const FILE_REASONS = { unread: "a file of its TLS settings cannot be read" };

/** Rejects with SOURCE_UNAVAILABLE, FORBIDDEN_ADDRESS or OWN_ADDRESS, and leaves nothing behind. */
export async function dialBroker(options: BrokerDialOptions, signal: CancelSignal): Promise<Duplex> {
  const url = URL.parse(options.url);
  if (!url) throw unavailable(options.name, BAD_URL);
  const tls = await readTls(options);
  if (signal.aborted) throw givenUp(signal);
  return Object.hasOwn(PORTS, url.protocol)
    ? dialSocket(options, url, tls, signal)
    : dialWebSocket(options, tls, signal);
}

async function readTls({ tls, name }: BrokerDialOptions): Promise<TlsSettings> {
  const read = (path: string | undefined): Promise<Buffer> | undefined => (path === undefined ? path : readFile(path));
  try {
    const [ca, cert, key] = await Promise.all([read(tls.ca), read(tls.cert), read(tls.key)]);
    return { ca, cert, key, rejectUnauthorized: tls.rejectUnauthorized };
  } catch (cause) {
    throw unavailable(name, FILE_REASONS.unread, cause);
  }
}

async function dialSocket(
  options: BrokerDialOptions,
  { protocol, hostname, port }: URL,
  tls: TlsSettings,
  signal: CancelSignal,
): Promise<Duplex> {
  const address = `http://${hostname}:${port === "" ? PORTS[protocol] : port}`;
  const guard = makeGuard(options);
  guard.check(address);
  const { hostname: name } = new URL(address);
  const target = {
    host: name.replace(/^\[|\]$/g, ""),
    port: Number(port) || (PORTS[protocol] as number),
    lookup: guard.lookupFor(address),
  };
  const isSecure = protocol === "mqtts:";
  const socket = isSecure ? connectTls({ ...target, ...servername(target.host), ...tls }) : connectTcp(target);
  return opened(socket, isSecure ? "secureConnect" : "connect", options.name, signal);
}

/** Server names are for names only (RFC 6066, 3). */
function servername(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

function opened(
  socket: Socket,
  event: "connect" | "secureConnect",
  name: string,
  signal: CancelSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const fail = (error: unknown): void => {
    socket.destroy();
    reject(explain(error, name));
  };
  const onAbort = (): void => fail(givenUp(signal));
  const timer = setTimeout(() => fail(Object.assign(new Error("no connection"), { code: "ETIMEDOUT" })), CONNECT_MS);
  const done = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  // Kept for good: an error that comes after all has been said must not end the process.
  socket.on("error", fail);
  socket.once("close", () => fail(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  socket.once(event, () => resolve(socket.setNoDelay(true).setKeepAlive(true)));
  return promise.finally(done);
}

/** The stream ends with its socket. Pings are answered here, since the dialler leaves them to us. */
async function dialWebSocket(options: BrokerDialOptions, tls: TlsSettings, signal: CancelSignal): Promise<Duplex> {
  const { createWebSocketStream } = await import("ws");
  const given = { ...options, headers: {}, subprotocol: "mqtt", tls, signal };
  return dial(given, (socket) => {
    socket.on("ping", (data) => socket.bufferedAmount === 0 && socket.pong(data));
    return createWebSocketStream(socket);
  }).catch((error) => {
    throw error instanceof ZaguanError && certificateReason(error.cause) ? explain(error.cause, options.name) : error;
  });
}

function explain(cause: unknown, name: string): ZaguanError {
  if (cause instanceof ZaguanError) return cause;
  return unavailable(name, certificateReason(cause) ?? connectReason(cause), cause);
}
