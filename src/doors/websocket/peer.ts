/**
 * Somebody at the other end of a socket: a client whose frames are JSON-RPC, bare or in xiaozhi's envelope, and answered in
 * the form they came; or, after its hello, a device, whose answers belong to the hub's own questions.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { Principal } from "../../core/call.ts";
import { FLOODED, Intake } from "../../link/intake.ts";
import type { Language } from "../../messages/catalogue.ts";
import { envelope, type Hello, helloOf, methodOf, readFrame } from "../../protocol/xiaozhi/frames.ts";
import type { ArrivedDevice, DoorContext, UpgradeConnection, WelcomedDevice } from "../door.ts";
import { queryOf } from "../http/routes.ts";
import { hasWritten } from "../http/unread.ts";
import { TwoWay, type TwoWayOptions } from "../mcp/two-way.ts";

const MAX_BACKLOG_BYTES = 1_048_576;
const UNREAD_MS = 10_000;
const MAX_UNANSWERED_PINGS = 2;
const GOING_AWAY = 1001;
const RESTARTING = 1012;
/** A device is a source: its messages may be larger and deeper than those of callers, as they are only passed on. */
const DEVICE_LIMITS = { depth: 64, elements: 1_000_000 };
const NOT_WANTED = 1008;

interface PeerContext
  extends Pick<DoorContext, "limits" | "report" | "devices">,
    Pick<TwoWayOptions, "target" | "stateless"> {
  /** How long it may say nothing before it is sent away; for ever if undefined. */
  readonly helloMs?: number | undefined;
}

/**
 * Also the device as the hub sees it, and what its intake is of, rather than objects more for each: there may be thousands of
 * them.
 */
export class Peer implements ArrivedDevice {
  readonly id: string;
  readonly principal: Principal;
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #language: Language;
  readonly #context: PeerContext;
  /** Made when it asks something of us: most devices never do, and there are thousands of them. */
  #messages: TwoWay | undefined;
  #unansweredPings = 0;
  /** Given in answer to its hello. */
  #sessionId: string | undefined;
  #isEnveloped = false;
  #device: WelcomedDevice | undefined;
  /** Of a device: the budget for what nobody asked of it. What a client may ask has limits of its own. */
  #intake: Intake | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, connection: UpgradeConnection, context: PeerContext) {
    this.#socket = socket;
    this.#connection = connection.request.socket;
    this.#context = context;
    this.#language = connection.language;
    this.principal = connection.principal;
    this.id = deviceIdOf(connection.request);
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", (data) => this.#pong(data));
    socket.on("pong", () => this.#isAlive());
    socket.on("error", ignore);
    socket.on("close", () => this.#left());
    this.#cutIfUnread();
    const { helloMs } = context;
    if (helloMs !== undefined) this.#silence = setTimeout(() => this.close("no hello"), helloMs).unref();
  }

  ping(): void {
    if (this.#unansweredPings++ >= MAX_UNANSWERED_PINGS) this.#socket.terminate();
    else this.#ifRead(() => this.#socket.ping());
  }

  /** What runs still gets its answer; then we say goodbye. */
  goAway(): void {
    // Some devices take "going away" for a goodbye for ever, and do not come back.
    const code = this.#device ? RESTARTING : GOING_AWAY;
    void (this.#messages?.finish() ?? Promise.resolve()).then(() => this.#socket.close(code));
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive();
    if (isBinary) this.#intake?.spend((data as Buffer).length);
    else if (this.#intake) this.#intake.take(data.toString());
    else this.deliver(data.toString());
  }

  #pong(data: Buffer): void {
    this.#intake?.spend(data.length);
    this.#ifRead(() => this.#socket.pong(data));
  }

  /** For the intake: reads one frame. Says what it was, as `LinkHandlers.onMessage`. */
  deliver(text: string): unknown {
    const frame = readFrame(text, this.#device ? DEVICE_LIMITS : this.#context.limits());
    if (frame.kind === "hello") this.#greet(frame.hello);
    if (frame.kind !== "mcp" && frame.kind !== "bare") return "unasked";
    return this.#heard(frame.kind === "mcp" ? frame.payload : text, frame.kind);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  onFlood(): void {
    this.#device?.left(FLOODED);
    this.close(FLOODED);
  }

  /** A device answers what we ask of it; whatever else comes is asked of us. */
  #heard(message: string, kind: "mcp" | "bare"): unknown {
    this.#hasSpoken();
    this.#isEnveloped = kind === "mcp";
    if (this.#device && !isAskedOfUs(message)) return this.#device.receive(message);
    this.#conversation().receive(message, (answer) => void (kind === "mcp" ? this.send(answer) : this.#bare(answer)));
    return "client";
  }

  #conversation(): TwoWay {
    const { target, stateless, limits, report } = this.#context;
    const { principal } = this;
    this.#messages ??= new TwoWay({
      target,
      stateless,
      limits,
      report,
      principal,
      language: this.#language,
      bareAtFirst: true,
      write: (message) => void (this.#isEnveloped ? this.send(message) : this.#bare(message)),
      isDevice: () => this.#isEnveloped || this.#sessionId !== undefined,
    });
    return this.#messages;
  }

  #hasSpoken(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Every hello is answered; only the first makes the device a source. */
  #greet(hello: Hello): void {
    this.#hasSpoken();
    this.#sessionId ??= randomUUID();
    this.#bare(helloOf(this.#sessionId, hello));
    if (!this.#device && hello.mcp) this.#becomeDevice();
  }

  #becomeDevice(): void {
    const { devices } = this.#context;
    if (!devices) return;
    this.#device = devices.welcome(this);
    if (this.#device) this.#intake = new Intake(this);
    else this.close("the device id is somebody else's");
  }

  #left(): void {
    this.#hasSpoken();
    this.#intake?.end();
    this.#device?.left("it hung up");
    this.#messages?.close();
  }

  /** Closes the socket and tells why. */
  close(reason: string): void {
    this.#socket.close(NOT_WANTED, reason);
  }

  #bare(message: string): boolean {
    return this.#ifRead(() => {
      this.#socket.send(message);
      hasWritten(this.#connection, this.#connection);
    });
  }

  /** In the envelope that devices want. */
  send(message: string): boolean {
    return this.#bare(envelope(message, this.#sessionId ?? ""));
  }

  #isAlive(): void {
    this.#unansweredPings = 0;
  }

  /** Cuts peers who have not read what they were sent before, so that it does not fill our memory. */
  #ifRead(send: () => void): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const isReading = this.#socket.bufferedAmount <= MAX_BACKLOG_BYTES;
    if (isReading) send();
    else this.#socket.terminate();
    return isReading;
  }

  /** Node fires `timeout` when nothing came or left for so long; that matters only where something waits to be read. */
  #cutIfUnread(): void {
    this.#connection.setTimeout(UNREAD_MS);
    this.#connection.on("timeout", () => {
      if (this.#socket.bufferedAmount > 0) this.#socket.terminate();
    });
  }
}

function ignore(): void {}

/** A request or a notification of a client, and not an answer or what a server says unasked. */
function isAskedOfUs(message: string): boolean {
  const method = methodOf(message, DEVICE_LIMITS);
  if (method === undefined) return false;
  return !method.startsWith("notifications/") || OF_CLIENTS.has(method);
}

const OF_CLIENTS: ReadonlySet<string> = new Set(["notifications/initialized", "notifications/cancelled"]);

const LONGEST_ID = 128;

/** The id of a device; "" where it says none. */
function deviceIdOf(request: IncomingMessage): string {
  return (saidIn(request, "device-id") ?? saidIn(request, "client-id") ?? "").slice(0, LONGEST_ID);
}

/** The key of a device that cannot set headers, from the query of its address. */
export function keyInQuery(url: string | undefined): string | undefined {
  return queryOf(url).get("authorization")?.trim() || undefined;
}

/** From a header, or from the query where the device cannot set any. */
function saidIn({ headers, url }: IncomingMessage, name: string): string | undefined {
  const header = headers[name];
  const said = typeof header === "string" ? header.trim() : "";
  return said || queryOf(url).get(name)?.trim() || undefined;
}
