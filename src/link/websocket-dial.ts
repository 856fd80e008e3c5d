/**
 * Opens a WebSocket through the guard against private addresses. Subprotocol "mcp" is offered, unless something else is
 * wanted, because there are servers that select it whether it was offered or not, which ends the handshake if it was not;
 * but a server that selects none is as welcome, since most know of none.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionOptions as TlsOptions } from "node:tls";
import type { WebSocket } from "ws";
import { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { makeGuard } from "../security/outbound.ts";
import { connectReason, givenUp, refusedOpening, unavailable } from "./http-failures.ts";

export interface DialOptions {
  /** `ws:`, `wss:`, `http:` or `https:`. */
  readonly url: string;
  /** Sent with the handshake; its own headers win. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The source's name, for error texts. */
  readonly name: string;
  /** The size limit of one message. */
  readonly maxBytes: number;
  /** Offered to the server; false for none. @default "mcp" */
  readonly subprotocol?: string | false | undefined;
  /** For servers whose certificates are not signed by a public authority. */
  readonly tls?: Pick<TlsOptions, "ca" | "cert" | "key" | "rejectUnauthorized"> | undefined;
  /** Gives up opening; after that it means nothing. */
  readonly signal?: CancelSignal | undefined;
}

const SUBPROTOCOL = "mcp";
const OWN_HEADERS = /^(?:sec-websocket-.*|connection|upgrade|content-length|transfer-encoding)$/i;
const BAD_HANDSHAKE = "its WebSocket handshake is not valid";

/**
 * `onOpen` gets the open socket and the connection beneath in the tick in which it opens, before any message can come;
 * what it returns is resolved with. Rejects with SOURCE_UNAVAILABLE or FORBIDDEN_ADDRESS, and leaves nothing behind.
 */
export async function dial<T>(options: DialOptions, onOpen: (socket: WebSocket, wire: Socket) => T): Promise<T> {
  const { signal, name } = options;
  const open = await prepare(options);
  if (signal?.aborted) throw givenUp(signal);
  const handshake = new Handshake(name, open(), subprotocolOf(options));
  const onAbort = (): void => signal && handshake.giveUp(givenUp(signal));
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await handshake.opened(onOpen);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Checks the URL without any traffic. ws is loaded here and not at the top: most hubs dial no WebSocket. */
async function prepare(options: DialOptions): Promise<() => WebSocket> {
  const guard = makeGuard(options);
  const url = httpForm(options.url);
  guard.check(url);
  const names = Object.keys(options.headers).filter((name) => !OWN_HEADERS.test(name));
  const settings = {
    ...options.tls,
    headers: { ...Object.fromEntries(names.map((name) => [name, options.headers[name] ?? ""])), ...guard.headers },
    maxPayload: options.maxBytes,
    /** A few compressed bytes could become gigabytes. */
    perMessageDeflate: false,
    followRedirects: false,
    /** We answer pings ourselves, since a peer that never reads could have us hoard the answers. */
    autoPong: false,
    /** How long a peer has to end the connection once one of us said goodbye. */
    closeTimeout: 1_000,
    lookup: guard.lookupFor(url),
  };
  const { WebSocket } = await import("ws");
  const subprotocol = subprotocolOf(options);
  return () => construct(options.name, () => new WebSocket(url, subprotocol ? [subprotocol] : [], settings));
}

function subprotocolOf({ subprotocol = SUBPROTOCOL }: DialOptions): string | false {
  return subprotocol;
}

/** Why a socket could not even be tried is a fault of what was configured. */
function construct(name: string, make: () => WebSocket): WebSocket {
  try {
    return make();
  } catch (cause) {
    throw unavailable(name, "its configured URL or headers are not valid", cause);
  }
}

class Handshake {
  readonly #name: string;
  readonly #socket: WebSocket;
  #refusal: ZaguanError | undefined;
  #wire: Socket | undefined;

  constructor(name: string, socket: WebSocket, subprotocol: string | false) {
    this.#name = name;
    this.#socket = socket;
    socket.on("upgrade", (response) => this.#upgrade(response, subprotocol));
    socket.on("unexpected-response", (_request, { statusCode = 0, headers }) =>
      this.giveUp(refusedOpening(name, statusCode, headers, "it opened no WebSocket")),
    );
  }

  giveUp(refusal: ZaguanError): void {
    this.#refusal ??= refusal;
    this.#socket.terminate();
  }

  opened<T>(onOpen: (socket: WebSocket, wire: Socket) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (cause: Error): void => reject(this.#refusal ?? explain(cause, this.#name));
      this.#socket.on("error", fail);
      this.#socket.once("open", () => {
        this.#socket.off("error", fail);
        resolve(onOpen(this.#socket, this.#wire as Socket));
      });
    });
  }

  /** ws takes the absence of a selection for a refusal, which the standard (RFC 6455, 4.1) does not. */
  #upgrade(response: IncomingMessage, offered: string | false): void {
    this.#wire = response.socket;
    if (offered !== false) response.headers["sec-websocket-protocol"] ??= offered;
  }
}

function explain(cause: Error, name: string): ZaguanError {
  if (cause instanceof ZaguanError) return cause;
  const code = "code" in cause ? String(cause.code) : "";
  const isAnswered = code === "" || code.startsWith("HPE_");
  return unavailable(name, isAnswered ? BAD_HANDSHAKE : connectReason(cause), cause);
}

/** The two pairs of schemes differ in name only; the guard knows the one, and ws takes both. */
function httpForm(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  if (url.protocol === "ws:" || url.protocol === "wss:") url.protocol = url.protocol.replace("ws", "http");
  url.hash = "";
  return url.href;
}
