/** The client's side of a WebSocket as a pipe for whole JSON-RPC texts, one per text frame. */
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { PassedOver } from "../protocol/framing/passed-over.ts";
import { CLOSED, type Ending, lost, unfit } from "./ending.ts";
import { FrameWriter, FULL_BYTES } from "./frame-writer.ts";
import { unavailable } from "./http-failures.ts";
import { FLOODED, Intake } from "./intake.ts";
import { deliver, type Link, type LinkHandlers } from "./link.ts";
import { type DialOptions, dial } from "./websocket-dial.ts";

export interface WebSocketOptions extends DialOptions {
  /** Between pings; two without a sign of life in answer end the connection. @default 30 s */
  readonly pingMs?: number | undefined;
}

/** Rejects with SOURCE_UNAVAILABLE, or FORBIDDEN_ADDRESS, and leaves nothing behind. */
export function openWebSocket(options: WebSocketOptions, handlers: LinkHandlers): Promise<Link> {
  const maxBytes = handlers.onTooLarge ? options.maxBytes * TOLERANCE : options.maxBytes;
  return dial({ ...options, maxBytes }, (socket, wire) => new SocketLink(socket, wire, options, handlers));
}

const PING_MS = 30_000;
/**
 * ws ends a connection at a message that is larger than it takes. Up to so many times the limit a message is read, and
 * then refused by itself, so that the others on the connection go on.
 */
const TOLERANCE = 4;
const MAX_UNANSWERED_PINGS = 2;
const GOODBYE_MS = 1000;
const NORMAL = 1000;
const NO_CODE = 1005;
const NO_GOODBYE = 1006;

class SocketLink implements Link {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #options: WebSocketOptions;
  readonly #handlers: LinkHandlers;
  readonly #intake: Intake;
  readonly #writer: FrameWriter;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #gone = Promise.withResolvers<Ending>();
  #unansweredPings = 0;
  #bytesHeard = 0;
  /** Why it ends, where we know better than the close code. */
  #ending: Ending | undefined;
  #closing: Promise<void> | undefined;

  constructor(socket: WebSocket, wire: Socket, options: WebSocketOptions, handlers: LinkHandlers) {
    this.#socket = socket;
    this.#wire = wire;
    this.#options = options;
    this.#intake = this.#makeIntake(handlers);
    this.#handlers = { ...handlers, onMessage: (message) => this.#intake.take(message) };
    this.#writer = this.#makeWriter();
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", (data) => this.#pong(data));
    socket.on("error", (error) => this.#misbehaved(error));
    socket.on("close", (code, text) => this.#ended(code, text.toString()));
    this.#heartbeat = setInterval(() => this.#beat(), options.pingMs ?? PING_MS).unref();
  }

  get closed(): Promise<Ending> {
    return this.#gone.promise;
  }

  send(message: string, signal?: CancelSignal): Promise<void> {
    return this.#writer.send(message, signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #makeIntake({ onMessage }: LinkHandlers): Intake {
    return new Intake({
      deliver: onMessage,
      pause: () => this.#socket.pause(),
      resume: () => this.#socket.resume(),
      onFlood: () => {
        this.#ending ??= unfit(FLOODED);
        this.#socket.terminate();
      },
    });
  }

  #makeWriter(): FrameWriter {
    const { name } = this.#options;
    return new FrameWriter(this.#socket, {
      refusal: () => unavailable(name, this.#ending?.reason ?? "the connection is closed"),
      overflow: () => unavailable(name, "it does not read what it is sent"),
      lost: (cause) => new ZaguanError("OUTCOME_UNKNOWN", { params: { source: name }, delivery: "unknown", cause }),
    });
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#closing) return;
    const { maxBytes } = this.#options;
    const bytes = data as Buffer;
    if (isBinary) this.#passOver(bytes);
    else if (bytes.length <= maxBytes) deliver(bytes.toString(), this.#handlers);
    else this.#handlers.onTooLarge?.(new PassedOver(maxBytes, bytes).cut());
  }

  #passOver({ length }: Buffer): void {
    this.#intake.spend(length);
    this.#handlers.onNoise?.("a binary frame");
  }

  #pong(data: Buffer): void {
    this.#intake.spend(data.length);
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (isOpen && this.#socket.bufferedAmount <= FULL_BYTES) this.#socket.pong(data);
  }

  /** Every byte is a sign of life: a pong may have to wait behind a long message. */
  #beat(): void {
    const { bytesRead } = this.#wire;
    if (bytesRead !== this.#bytesHeard) this.#unansweredPings = 0;
    this.#bytesHeard = bytesRead;
    if (this.#unansweredPings++ < MAX_UNANSWERED_PINGS) this.#socket.ping();
    else {
      this.#ending ??= { ...lost("it does not answer pings"), obstacle: "timeout" };
      this.#socket.terminate();
    }
  }

  /** ws says goodbye by itself, with the code that fits. */
  #misbehaved(error: Error): void {
    const isTooLarge = "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
    const much = this.#handlers.onTooLarge ? "much " : "";
    const limit = `it sent a message ${much}larger than ${this.#options.maxBytes} bytes`;
    this.#ending ??= unfit(isTooLarge ? limit : "it broke the rules of WebSocket");
  }

  #ended(code: number, text: string): void {
    clearInterval(this.#heartbeat);
    this.#ending ??= goodbye(code, text);
    this.#writer.close();
    this.#intake.end();
    this.#gone.resolve(this.#ending);
  }

  async #shutDown(): Promise<void> {
    this.#ending ??= CLOSED;
    this.#writer.close();
    this.#socket.close(NORMAL);
    const timer = setTimeout(() => this.#socket.terminate(), GOODBYE_MS);
    await this.closed;
    clearTimeout(timer);
  }
}

/** What the server gives as its reason is at most 123 bytes, but may be of any kind. */
function goodbye(code: number, text: string): Ending {
  if (code === NO_GOODBYE) return lost("the connection was lost");
  const words = text.replace(/\p{C}+/gu, " ").trim();
  const told = [code === NO_CODE ? "" : String(code), words].filter((part) => part !== "").join(": ");
  const closed = "the server closed the connection";
  const reason = told === "" ? closed : `${closed} (${told})`;
  return { kind: "closed", code: code === NO_CODE ? undefined : code, reason, words };
}
