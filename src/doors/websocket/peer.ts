/**
 * Somebody at the other end of a socket: a client whose frames are JSON-RPC, bare or in xiaozhi's envelope, and answered in
 * the form they came; or, after its hello, a device, whose answers belong to the hub's own questions.
 */
import { randomUUID } from "node:crypto";
import type { RawData, WebSocket } from "ws";
import { envelope, type Hello, helloOf, readFrame } from "../../protocol/xiaozhi/frames.ts";
import type { DoorContext, UpgradeConnection, WelcomedDevice } from "../door.ts";
import type { Counterpart } from "../mcp/counterpart.ts";
import { TwoWay } from "../mcp/two-way.ts";
import { deviceIdOf } from "./device-at-door.ts";

const MAX_BACKLOG_BYTES = 1_048_576;
const UNREAD_MS = 10_000;
const MAX_UNANSWERED_PINGS = 2;
const GOING_AWAY = 1001;
const NOT_WANTED = 1008;

export interface PeerContext extends Pick<DoorContext, "limits" | "report" | "devices"> {
  readonly counterpart: Counterpart;
  /** How long it may say nothing before it is sent away; for ever if undefined. */
  readonly helloMs?: number | undefined;
}

export class Peer {
  readonly #socket: WebSocket;
  readonly #connection: Pick<UpgradeConnection, "principal" | "language">;
  readonly #deviceId: string;
  readonly #context: PeerContext;
  /** Made when it asks something of us: most devices never do, and there are thousands of them. */
  #messages: TwoWay | undefined;
  #unansweredPings = 0;
  /** Of its hello. */
  #sessionId: string | undefined;
  #isEnveloped = false;
  #device: WelcomedDevice | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, connection: UpgradeConnection, context: PeerContext) {
    this.#socket = socket;
    this.#context = context;
    const { principal, language, request } = connection;
    this.#connection = { principal, language };
    this.#deviceId = deviceIdOf(request);
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", (data) => this.#ifRead(() => socket.pong(data)));
    socket.on("pong", () => this.#isAlive());
    socket.on("error", () => {});
    socket.on("close", () => this.#left());
    this.#cutIfUnread(connection);
    const { helloMs } = context;
    if (helloMs !== undefined) this.#silence = setTimeout(() => this.#sendAway("no hello"), helloMs).unref();
  }

  ping(): void {
    if (this.#unansweredPings++ >= MAX_UNANSWERED_PINGS) this.#socket.terminate();
    else this.#ifRead(() => this.#socket.ping());
  }

  /** What runs still gets its answer; then we say goodbye. */
  goAway(): void {
    void this.#conversation()
      .finish()
      .then(() => this.#socket.close(GOING_AWAY));
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive();
    if (isBinary) return;
    const text = data.toString();
    const frame = readFrame(text, this.#context.limits());
    if (frame.kind === "hello") this.#greet(frame.hello);
    if (frame.kind === "mcp" || frame.kind === "bare")
      this.#heard(frame.kind === "mcp" ? frame.payload : text, frame.kind);
  }

  /** A device answers what we ask of it; whatever else comes is asked of us. */
  #heard(message: string, kind: "mcp" | "bare"): void {
    this.#hasSpoken();
    this.#isEnveloped = kind === "mcp";
    if (this.#device && !isAsked(message)) this.#device.receive(message);
    else this.#conversation().receive(message, this.#isEnveloped ? this.#inEnvelope : this.#bare);
  }

  #conversation(): TwoWay {
    const { counterpart, limits, report } = this.#context;
    this.#messages ??= new TwoWay({
      ...{ counterpart, limits, report, ...this.#connection, bareAtFirst: true },
      write: (message) => void (this.#isEnveloped ? this.#inEnvelope(message) : this.#bare(message)),
      isDevice: () => this.#isEnveloped || this.#sessionId !== undefined,
    });
    return this.#messages;
  }

  #hasSpoken(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Answered whenever it comes; it makes a source of a device only once. */
  #greet(hello: Hello): void {
    this.#hasSpoken();
    this.#sessionId ??= randomUUID();
    this.#bare(helloOf(this.#sessionId, hello));
    if (!this.#device && hello.mcp) this.#becomeDevice();
  }

  #becomeDevice(): void {
    const { devices } = this.#context;
    if (!devices) return;
    this.#device = devices.welcome({
      id: this.#deviceId,
      principal: this.#connection.principal,
      send: (message) => this.#inEnvelope(message),
      close: (reason) => this.#sendAway(reason),
    });
    if (!this.#device) this.#sendAway("the device id is somebody else's");
  }

  #left(): void {
    this.#hasSpoken();
    this.#device?.left("it hung up");
    this.#messages?.close();
  }

  #sendAway(reason: string): void {
    this.#socket.close(NOT_WANTED, reason);
  }

  readonly #bare = (message: string): boolean => this.#ifRead(() => this.#socket.send(message));

  readonly #inEnvelope = (message: string): boolean => this.#bare(envelope(message, this.#sessionId ?? ""));

  #isAlive(): void {
    this.#unansweredPings = 0;
  }

  /** Those who have not read what they were sent before are cut, before it becomes our memory. */
  #ifRead(send: () => void): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const isReading = this.#socket.bufferedAmount <= MAX_BACKLOG_BYTES;
    if (isReading) send();
    else this.#socket.terminate();
    return isReading;
  }

  /** Node tells of so long a time in which nothing came or left; with nothing to send that is no reproach. */
  #cutIfUnread({ request }: UpgradeConnection): void {
    request.socket.setTimeout(UNREAD_MS);
    request.socket.on("timeout", () => {
      if (this.#socket.bufferedAmount > 0) this.#socket.terminate();
    });
  }
}

/** A request or a notification of a client, and not an answer or what a server says unasked. */
function isAsked(message: string): boolean {
  if (!message.includes('"method"')) return false;
  return !/"method"\s*:\s*"notifications\/(?!initialized"|cancelled")/.test(message);
}
