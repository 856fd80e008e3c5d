/**
 * One connection to an MQTT broker: subscriptions of QoS 0, publishing of any, by the client of npm's `mqtt` over our own
 * socket. It lives once: the client never reconnects and keeps nothing to send later, so that no message is sent twice.
 * MQTT 5 is tried first, then 3.1.1 where the broker does not speak it.
 */
import { randomBytes } from "node:crypto";
import { Duplex } from "node:stream";
import type { IClientOptions, MqttClient, Packet } from "mqtt";
import { toZaguanError, withDelivery, ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import { BadPacket, MqttPackets } from "../protocol/framing/mqtt-packets.ts";
import { CLOSED, type Ending, lost, unfit } from "./ending.ts";
import { givenUp, unavailable } from "./http-failures.ts";
import { Intake } from "./intake.ts";
import { type BrokerDialOptions, dialBroker } from "./mqtt-dial.ts";

export interface MqttLinkOptions extends BrokerDialOptions {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** @default a new one for each connection */
  readonly clientId?: string | undefined;
  readonly keepaliveSeconds: number;
  /** The version that the broker was found to speak; written here, and read by the next connection. */
  readonly memory: { version?: MqttVersion | undefined };
  onMessage(message: MqttMessage): void;
  /** A message was larger than `maxBytes` and is lost. */
  onLeftOut(bytes: number): void;
}

/** The protocol level of the CONNECT packet: 4 is MQTT 3.1.1. */
export type MqttVersion = 4 | 5;

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
}

interface PublishOptions {
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

/** The broker got a message and did not take it (MQTT 5 only; 3.1.1 has no word for it). */
export class PublishRefused extends Error {
  /** The reason code, as in MQTT 5.0, 2.4. */
  readonly code: number;

  constructor(code: number) {
    super(`the broker refused the message (reason code ${code})`);
    this.code = code;
  }
}

const CONNACK_MS = 10_000;
const GOODBYE_MS = 1_000;
const WRONG_VERSION: ReadonlySet<number> = new Set([1, 132]);
/** Brokers and their guards shut out who comes with a wrong password too often. */
const REFUSED_MS = 60_000;
const NO_SUBSCRIBERS = 16;
const TOO_LARGE = 149;
/** Of a message beside its topic and payload: header, length, id and the length of no properties. */
const OVERHEAD_BYTES = 10;
/** Packets that are answered; a message is where its quality of service is more than 0. */
const ANSWERED: ReadonlySet<string> = new Set(["pubrel", "subscribe", "unsubscribe", "pingreq"]);
/** Topic filters in one SUBSCRIBE packet: brokers bound its size. */
const FILTERS_AT_ONCE = 200;

/** Why a broker refuses a connection, or ends one: return codes of MQTT 3.1.1 and reason codes of MQTT 5. */
const REASONS: Readonly<Record<number, string>> = {
  1: "it does not speak MQTT 3.1.1 or 5",
  2: 'it refused the client id; set another "clientId"',
  3: "it says that it is not available",
  4: "it refused the user name or password",
  5: "it refused the user name or password",
  132: "it does not speak MQTT 3.1.1 or 5",
  133: 'it refused the client id; set another "clientId"',
  134: "it refused the user name or password",
  135: "it refused the user name or password",
  136: "it says that it is not available",
  137: "it says that it is busy",
  138: "it has banned this client",
  139: "it is shutting down",
  141: "it heard nothing from us for too long",
  142: "another client with the same client id took the place of this one",
  149: "it was sent a message larger than it takes",
  151: "a quota is exceeded",
};
const OTHER_REASONS = {
  flooded: 'it sends more messages than can be taken; narrow its "topics"',
  lost: "the connection was lost",
  garbled: "it sent what is no MQTT",
  silent: "it did not let us in in time",
  unanswered: "it does not answer pings",
};

/** Rejects with SOURCE_UNAVAILABLE, FORBIDDEN_ADDRESS or OWN_ADDRESS, and leaves nothing behind. */
export async function openMqtt(options: MqttLinkOptions, signal: CancelSignal): Promise<MqttLink> {
  // Loaded with the first broker: most hubs have none.
  const { MqttClient: Client } = await import("mqtt");
  const { memory } = options;
  const open = async (version: MqttVersion): Promise<MqttLink> => {
    const stream = await dialBroker(options, signal);
    const link = new MqttLink(options, version, stream, (build, settings) => new Client(build, settings));
    await link.entered(signal);
    memory.version = version;
    return link;
  };
  const known = memory.version;
  return open(known ?? 5).catch((error) => {
    if (!(error instanceof ZaguanError && error.cause instanceof OtherVersion)) throw error;
    // Another broker may stand in its place: then both are tried next time.
    memory.version = undefined;
    if (known !== undefined) throw error;
    return open(4);
  });
}

/** The broker may speak another version: it said so, or left without a word, as old ones do. */
class OtherVersion extends Error {}

type MakeClient = (build: () => Duplex, settings: IClientOptions) => MqttClient;

export class MqttLink {
  readonly version: MqttVersion;
  /** Resolves, never rejects, when the connection is gone. */
  readonly closed: Promise<Ending>;
  /** Aborted with that: for those who wait often, and must not leave anything behind at a promise that lives long. */
  readonly ended: CancelSignal;
  /** Milliseconds since 1970, when the broker last said anything. */
  lastHeardAt: number = Date.now();
  readonly #options: MqttLinkOptions;
  readonly #client: MqttClient;
  readonly #stream: PacketStream;
  readonly #intake: Intake;
  readonly #gone = Promise.withResolvers<Ending>();
  readonly #stop = new LightAbort();
  /** Acknowledges the message at which the pause began, so that the client goes on. */
  #goOn: (() => void) | undefined;
  #isPaused = false;
  #isIn = false;
  /** Answers that the broker owes us: these are as many as we asked for, and cost nothing. */
  #owed = 0;
  #ending: Ending | undefined;
  #refusal: number | undefined;
  readonly #pongs: (() => void)[] = [];
  /** Ids of messages that the broker took and that nobody listens to. */
  readonly #unheard = new Set<number>();

  constructor(options: MqttLinkOptions, version: MqttVersion, stream: Duplex, makeClient: MakeClient) {
    this.#options = options;
    this.version = version;
    this.closed = this.#gone.promise;
    this.ended = this.#stop;
    this.#intake = this.#makeIntake();
    const packets = new MqttPackets({
      maxBytes: options.maxBytes,
      onControl: () => this.#answered(),
      onLeftOut: (bytes) => options.onLeftOut(bytes),
    });
    this.#stream = new PacketStream(stream, packets);
    this.#client = makeClient(() => this.#stream, settingsFor(options, version));
    this.#listen();
  }

  /** Resolves when the broker let us in. */
  async entered(signal: CancelSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => reject(givenUp(signal));
    this.#client.once("connect", () => resolve());
    void this.closed.then((ending) => reject(this.#notLetIn(ending)));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
      this.#isIn = true;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Resolves when the broker has the message, with whether anybody listens where it told; for QoS 0 when it is written. Rejects with
   * PublishRefused, or with a ZaguanError that says what is known of the delivery.
   */
  async publish(
    topic: string,
    payload: string | Buffer,
    options: PublishOptions,
    signal: CancelSignal,
  ): Promise<{ readonly hasListeners: boolean | undefined }> {
    if (signal.aborted) throw withDelivery(toZaguanError(signal.reason), "not_sent");
    if (this.#ending || !this.#client.connected) throw this.#unavailable();
    const most = this.#client.serverProperties?.maximumPacketSize ?? Number.POSITIVE_INFINITY;
    // A broker ends the connection at a packet that is larger than it said.
    if (Buffer.byteLength(topic) + Buffer.byteLength(payload) + OVERHEAD_BYTES > most)
      throw new PublishRefused(TOO_LARGE);
    const packet = await this.#until<Packet | undefined>(signal, (done) =>
      this.#client.publish(topic, payload, options, done),
    );
    const isUnheard = packet?.messageId !== undefined && this.#unheard.delete(packet.messageId);
    // Brokers need not tell, and for QoS 2 they do not.
    return { hasListeners: isUnheard ? false : this.version === 5 && options.qos === 1 ? true : undefined };
  }

  /** Resolves with the filters that the broker refused. */
  async subscribe(filters: readonly string[], signal: CancelSignal): Promise<readonly string[]> {
    const refused: string[] = [];
    for (let at = 0; at < filters.length; at += FILTERS_AT_ONCE) {
      refused.push(...(await this.#subscribe(filters.slice(at, at + FILTERS_AT_ONCE), signal)));
    }
    return refused;
  }

  /** Need not be waited for. */
  unsubscribe(filters: readonly string[]): void {
    if (filters.length > 0 && this.#client.connected) this.#client.unsubscribe([...filters], () => {});
  }

  /** Resolves with the answer, which comes behind all that the broker had to say before. */
  async ping(signal: CancelSignal): Promise<void> {
    if (this.#ending || !this.#client.connected) throw this.#unavailable();
    await this.#until<void>(signal, (done) => {
      this.#pongs.push(() => done(null, undefined));
      this.#client.sendPing();
    });
  }

  async close(): Promise<void> {
    this.#ending ??= CLOSED;
    const timer = setTimeout(() => this.#stream.destroy(), GOODBYE_MS);
    if (this.#isIn) this.#client.end(false);
    else this.#stream.destroy();
    // What waits for a pause to end would keep the goodbye from being said.
    this.#intake.end();
    this.#resume();
    await this.closed;
    clearTimeout(timer);
  }

  #listen(): void {
    const client = this.#client;
    client.handleMessage = ({ payload }, done) => {
      this.#intake.spend(payload.length);
      if (this.#isPaused) this.#goOn = done;
      else done();
    };
    client.on("message", (topic, payload, { retain }) => {
      if (!this.#ending) this.#options.onMessage({ topic, payload, isRetained: retain });
    });
    client.on("packetsend", (packet) => {
      if (packet.cmd === "publish" ? packet.qos > 0 : ANSWERED.has(packet.cmd)) this.#owed++;
    });
    client.on("packetreceive", (packet) => {
      this.lastHeardAt = Date.now();
      if (packet.cmd === "pingresp") this.#pongs.shift()?.();
      const isAnswer = packet.cmd === "puback" || packet.cmd === "pubrec";
      if (isAnswer && packet.reasonCode === NO_SUBSCRIBERS) this.#unheard.add(packet.messageId ?? 0);
    });
    client.on("disconnect", ({ reasonCode = 0 }) => {
      this.#ending ??= {
        kind: "closed",
        code: reasonCode,
        reason: reasonOf(reasonCode),
      };
    });
    client.on("error", (error) => this.#failed(error));
    // The client passes over errors without a code.
    this.#stream.on("error", (error) => this.#failed(error));
    this.#stream.once("close", () => this.#over());
  }

  async #subscribe(filters: readonly string[], signal: CancelSignal): Promise<readonly string[]> {
    if (this.#ending) throw this.#unavailable();
    const granted = await this.#until<readonly number[]>(signal, (done) =>
      this.#client.subscribe([...filters], { qos: 0 }, (error, _subscriptions, packet) => {
        const codes = packet?.granted as readonly number[] | undefined;
        done(codes ? null : error, codes);
      }),
    );
    return filters.filter((_, index) => (granted[index] ?? 0) >= 0x80);
  }

  #answered(): void {
    if (this.#owed > 0) this.#owed--;
    else this.#intake.spend(0);
  }

  #makeIntake(): Intake {
    return new Intake({
      deliver: () => {},
      pause: () => {
        this.#isPaused = true;
        this.#stream.hold();
      },
      resume: () => this.#resume(),
      onFlood: () => this.#end(unfit(OTHER_REASONS.flooded)),
    });
  }

  #resume(): void {
    this.#isPaused = false;
    this.#stream.release();
    const goOn = this.#goOn;
    this.#goOn = undefined;
    goOn?.();
  }

  #failed(error: Error & { readonly code?: unknown }): void {
    const { code } = error;
    if (error instanceof BadPacket) this.#end(unfit(error.message));
    else if (typeof code === "number" && !this.#isIn) {
      this.#refusal = code;
      this.#end({ kind: "closed", code, reason: reasonOf(code) });
    } else if (error.message === "connack timeout") this.#end(lost(OTHER_REASONS.silent));
    else if (error.message === "Keepalive timeout") this.#end(lost(OTHER_REASONS.unanswered));
    else if (typeof code === "string") this.#end(lost(OTHER_REASONS.lost));
    else this.#end(unfit(OTHER_REASONS.garbled));
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#stream.destroy();
  }

  #over(): void {
    this.#ending ??= lost(OTHER_REASONS.lost);
    this.#intake.end();
    this.#client.end(true);
    this.#stop.abort();
    this.#gone.resolve(this.#ending);
  }

  /** Waits for the client's callback, for the caller's patience, or for the end of the connection. */
  async #until<T>(signal: CancelSignal, begin: (done: (error?: Error | null, value?: T) => void) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = (): void => reject(withDelivery(toZaguanError(signal.reason), "unknown"));
    const onEnd = (): void => reject(this.#unknown());
    this.ended.addEventListener("abort", onEnd, { once: true });
    signal.addEventListener("abort", onAbort, { once: true });
    begin((error, value) => (error ? reject(this.#explain(error)) : resolve(value as T)));
    try {
      return await promise;
    } finally {
      this.ended.removeEventListener("abort", onEnd);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #explain(error: Error & { readonly code?: unknown }): Error {
    return typeof error.code === "number" ? new PublishRefused(error.code) : this.#unknown(error);
  }

  #unknown(cause?: Error): ZaguanError {
    const params = { source: this.#options.name };
    return new ZaguanError("OUTCOME_UNKNOWN", {
      params,
      delivery: "unknown",
      cause: cause ?? new Error("it was lost"),
    });
  }

  #unavailable(): ZaguanError {
    return unavailable(this.#options.name, this.#ending?.reason ?? OTHER_REASONS.lost);
  }

  #notLetIn({ reason, kind }: Ending): ZaguanError {
    const refusal = this.#refusal;
    // A 3.1.1 broker may answer in a form that is none in MQTT 5, or just leave; one that is silent is silent in any version.
    const isUnexplained = refusal === undefined && kind !== "ours" && reason !== OTHER_REASONS.silent;
    const isOther = isUnexplained || WRONG_VERSION.has(refusal ?? 0);
    const isRefused = reason === REASONS[4];
    return unavailable(this.#options.name, reason).with({
      ...(isRefused && { retryAfterMs: REFUSED_MS }),
      ...(isOther && { cause: new OtherVersion(reason) }),
    });
  }
}

function settingsFor(options: MqttLinkOptions, version: MqttVersion): IClientOptions {
  const { username, password, clientId, keepaliveSeconds, maxBytes } = options;
  return {
    protocolVersion: version,
    clientId: clientId ?? `zaguan-${randomBytes(6).toString("hex")}`,
    keepalive: keepaliveSeconds,
    connectTimeout: CONNACK_MS,
    clean: true,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    timerVariant: "native",
    // The client's own log shows passwords.
    log: () => {},
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(version === 5 && { properties: { maximumPacketSize: maxBytes, receiveMaximum: 16 } }),
  };
}

function reasonOf(code: number): string {
  return REASONS[code] ?? `reason code ${code}`;
}

/** The broker's stream with its packets checked on the way in. */
class PacketStream extends Duplex {
  readonly #inner: Duplex;
  #isHeld = false;

  constructor(inner: Duplex, packets: MqttPackets) {
    super({ allowHalfOpen: false });
    this.#inner = inner;
    inner.on("data", (chunk: Buffer) => this.#take(packets, chunk));
    inner.on("end", () => this.push(null));
    inner.on("error", (error) => this.destroy(error));
    inner.on("close", () => this.readableEnded || this.push(null));
    inner.pause();
  }

  /** Stops reading; what is read already still comes. */
  hold(): void {
    this.#isHeld = true;
    this.#inner.pause();
  }

  release(): void {
    this.#isHeld = false;
    this.#inner.resume();
  }

  override _read(): void {
    if (!this.#isHeld) this.#inner.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inner.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#inner.destroyed) done();
    else this.#inner.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner.destroy();
    done(error);
  }

  #take(packets: MqttPackets, chunk: Buffer): void {
    try {
      for (const piece of packets.take(chunk)) if (!this.push(piece)) this.#inner.pause();
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
