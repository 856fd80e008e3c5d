/** One life of a broker: its topics and devices kept live, its tools, its resources. Reconnecting is the supervisor's. */
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Ending } from "../../link/ending.ts";
import { type MqttLink, type MqttMessage, openMqtt } from "../../link/mqtt.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { secretsIn } from "../../security/entry-secrets.ts";
import { Redaction } from "../../security/redaction.ts";
import { LiveResources } from "../shared/live-resources.ts";
import type { ConnectContext, Connection, SourceHealth, SourceRequest } from "../source.ts";
import { type Broker, LIMITS, type MqttOptions } from "./broker.ts";
import { HomeAssistantDialect } from "./discovery/home-assistant.ts";
import { Zigbee2MqttDialect } from "./discovery/zigbee2mqtt.ts";
import { LiveDevices } from "./live-devices.ts";
import { IncomingMessage, textOf } from "./payload.ts";
import { TopicResources } from "./resources.ts";
import { MqttThings } from "./things.ts";
import { callBrokerTool } from "./tool-calls.ts";
import { toolsFor } from "./tools.ts";
import { matchesAny, TopicStore } from "./topics.ts";

/** Descriptions come by the hundred: what follows from them is done once for all. */
const SETTLE_MS = 100;
/** The first messages have so long to be here before the source counts as ready. */
const FIRST_MS = 3_000;
const NEVER: CancelSignal = new AbortController().signal;

export class MqttConnection implements Connection {
  readonly face: ServerFace;
  readonly closed: Promise<Ending>;
  readonly things: MqttThings;
  readonly #broker: Broker;
  readonly #resources: LiveResources<Buffer>;
  readonly #context: ConnectContext;
  readonly #redaction: Redaction | undefined;
  /** Topics of devices that no filter of the configuration brings, and that are subscribed to by themselves. */
  readonly #followed = new Set<string>();
  /** Those who wait for the next message of a topic. */
  readonly #awaited = new Map<string, Set<(payload: Buffer) => void>>();
  readonly #told = new Set<string>();
  #stopSettling: (() => void) | undefined;
  #pingMs: number | undefined;
  #leftOut = 0;

  /** Rejects with a ZaguanError, and leaves nothing behind. */
  static async open(options: MqttOptions, context: ConnectContext, signal: CancelSignal): Promise<MqttConnection> {
    const inbox = { take: (_message: MqttMessage): void => {}, leaveOut: (_bytes: number): void => {} };
    const link = await openMqtt(
      {
        ...options,
        name: context.name,
        maxBytes: LIMITS.packetBytes,
        onMessage: (message) => inbox.take(message),
        onLeftOut: (bytes) => inbox.leaveOut(bytes),
      },
      signal,
    );
    const connection = new MqttConnection(link, options, context);
    inbox.take = (message) => connection.#heard(message);
    inbox.leaveOut = (bytes) => connection.#missed(bytes);
    try {
      await connection.#begin(signal);
      return connection;
    } catch (cause) {
      await connection.close();
      throw signal.aborted ? signal.reason : cause;
    }
  }

  private constructor(link: MqttLink, options: MqttOptions, context: ConnectContext) {
    const { name, clock } = context;
    const { homeAssistant, zigbee2mqtt } = options.discovery;
    const dialects = [
      ...(zigbee2mqtt === false ? [] : [new Zigbee2MqttDialect(zigbee2mqtt)]),
      ...(homeAssistant === false ? [] : [new HomeAssistantDialect(homeAssistant)]),
    ];
    const devices = new LiveDevices(dialects, {
      changed: (ids) => this.things.changed(ids),
      rearranged: () => this.#settleSoon(),
    });
    const store = new TopicStore();
    this.#context = context;
    this.#redaction = redactionFor(options);
    this.things = new MqttThings(devices);
    this.#broker = { name, options, clock, link, store, devices, await: (...args) => this.#await(...args) };
    this.#resources = new LiveResources(new TopicResources(name, store, options.topics), {
      clock,
      lastHeard: options.memory.lastHeard,
      gatherMs: LIMITS.gatherMs,
      most: LIMITS.topics,
      notify: (method, params) => context.onNotification(method, params),
    });
    this.face = faceOf(name, options, link);
    this.closed = link.closed.then((ending) => {
      this.#stopSettling?.();
      this.#resources.end();
      return ending;
    });
  }

  async listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    // They are ours and never change; but who asks for them wants to know whether there is a broker.
    await this.#ping(signal);
    return toolsFor(this.#broker.options, "en");
  }

  async request(request: SourceRequest): Promise<Payload> {
    if (request.signal.aborted) throw toZaguanError(request.signal.reason);
    const { method, language, params } = request;
    if (method === "tools/call") return callBrokerTool(this.#broker, request);
    if (method === "tools/list") return Payload.ofValue({ tools: toolsFor(this.#broker.options, language) });
    if (method === "ping") return this.#ping(request.signal).then(() => EMPTY_OBJECT);
    const answer = this.#resources.answer(method, params, language);
    if (answer) return answer;
    throw new ZaguanError("UNKNOWN_METHOD", { params: { method }, delivery: "not_sent" });
  }

  health(): SourceHealth {
    const { devices, link } = this.#broker;
    return { pingMs: this.#pingMs, entities: devices.entities().size, lastSuccessAt: link.lastHeardAt };
  }

  async close(): Promise<void> {
    await this.#broker.link.close();
    await this.closed;
  }

  /** Ready is a broker whose retained messages are here: an answer to a ping comes behind them. */
  async #begin(signal: CancelSignal): Promise<void> {
    const { link, options, devices, clock } = this.#broker;
    const refused = await link.subscribe([...new Set([...options.topics, ...devices.filters])], signal);
    for (const filter of refused) this.#context.onLog(`the broker refused the subscription to ${filter}`);
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const stop = clock.after(FIRST_MS, resolve);
    try {
      await Promise.race([this.#ping(signal), enough]);
      await this.#settle(signal);
      await Promise.race([this.#ping(signal), enough]);
    } finally {
      stop();
    }
  }

  #heard({ topic: said, payload: given, isRetained }: MqttMessage): void {
    const at = Date.now();
    const topic = this.#redaction?.text(said) ?? said;
    const { devices, store, options } = this.#broker;
    const payload = this.#withoutSecrets(given);
    const message = new IncomingMessage(payload);
    devices.take(topic, message, at, isRetained);
    if (devices.isDescription(topic)) return;
    if (matchesAny(options.topics, topic)) {
      const effect = store.take(topic, payload, isRetained, at);
      if (effect !== "none") this.#resources.changed([topic]);
      if (effect === "added" || effect === "removed") this.#resources.listChanged();
    }
    for (const take of this.#awaited.get(topic) ?? []) take(payload);
    if (store.forgotten > 0) this.#sayOnce(`more than ${LIMITS.topics} topics: those that are silent are forgotten`);
  }

  /** A broker may repeat the password that it was given. */
  #withoutSecrets(payload: Buffer): Buffer {
    const text = this.#redaction && textOf(payload);
    const clean = text === undefined ? text : this.#redaction?.json(text);
    return clean === undefined || clean === text ? payload : Buffer.from(clean);
  }

  #missed(bytes: number): void {
    this.#leftOut++;
    if (this.#leftOut === 1 || this.#leftOut % 100 === 0) {
      this.#context.onLog(`${this.#leftOut} messages were too large and are lost; the last had ${bytes} bytes`);
    }
  }

  #settleSoon(): void {
    this.#stopSettling ??= this.#broker.clock.after(SETTLE_MS, () => {
      this.#settle(NEVER).catch(() => {});
    });
  }

  /**
   * Follows the topics of all devices as they are now, and no others. Of those that were described anew, what was said before is
   * taken from what is kept, or by subscribing once more, which brings what the broker has retained.
   */
  async #settle(signal: CancelSignal): Promise<void> {
    this.#stopSettling?.();
    this.#stopSettling = undefined;
    const { devices, link, options, store } = this.#broker;
    if (devices.isFull)
      this.#sayOnce(`more devices than are kept: ${LIMITS.devices} devices, ${LIMITS.properties} entities`);
    const wanted = new Set(devices.topics());
    const gone = [...this.#followed].filter((topic) => !wanted.has(topic));
    const [shown, others] = [[] as string[], [] as string[]];
    for (const topic of devices.renewed()) (matchesAny(options.topics, topic) ? shown : others).push(topic);
    for (const topic of shown) {
      const kept = store.get(topic);
      if (kept?.payload) devices.take(topic, new IncomingMessage(kept.payload), kept.at, true);
    }
    for (const topic of gone) this.#followed.delete(topic);
    for (const topic of others) this.#followed.add(topic);
    this.things.rearranged();
    link.unsubscribe(gone);
    const refused = await link.subscribe(others, signal);
    for (const topic of refused) this.#context.onLog(`the broker refused the subscription to ${topic}`);
  }

  async #ping(signal: CancelSignal): Promise<void> {
    const { clock, link } = this.#broker;
    const sentAt = clock.now();
    await link.ping(signal);
    this.#pingMs = Math.round((clock.now() - sentAt) * 100) / 100;
  }

  /**
   * The topic is subscribed to already, by a filter. To subscribe again, to this topic alone, brings what the broker has
   * retained, where we have forgotten it; but that is no new message.
   */
  async #await(topic: string, ms: number, isFresh: boolean, signal: CancelSignal): Promise<Buffer | undefined> {
    const { link, clock, options } = this.#broker;
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    const awaited = this.#awaited.get(topic) ?? new Set();
    this.#awaited.set(topic, awaited.add(resolve));
    const stop = clock.after(ms, () => resolve(undefined));
    const onAbort = (): void => resolve(undefined);
    for (const end of [signal, link.ended]) end.addEventListener("abort", onAbort, { once: true });
    try {
      const isAsked = !isFresh && !options.topics.includes(topic);
      if (isAsked) {
        await link.subscribe([topic], signal);
        await link.ping(signal);
        // Two subscriptions to one topic would bring each message twice.
        link.unsubscribe([topic]);
      }
      return await promise;
    } finally {
      stop();
      for (const end of [signal, link.ended]) end.removeEventListener("abort", onAbort);
      awaited.delete(resolve);
      if (awaited.size === 0) this.#awaited.delete(topic);
    }
  }

  #sayOnce(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#context.onLog(line);
  }
}

/** Of the password, and of a token in the address; a word like `mqtt` would be taken out of honest topics. */
function redactionFor({ url, password }: MqttOptions): Redaction | undefined {
  const secrets = secretsIn({ url, ...(password !== undefined && { headers: { Authorization: password } }) });
  return secrets.length > 0 ? new Redaction(secrets) : undefined;
}

function faceOf(name: string, { topics }: MqttOptions, { version }: MqttLink): ServerFace {
  const capabilities = { tools: {}, ...(topics.length > 0 && { resources: { subscribe: true, listChanged: true } }) };
  const serverInfo = { name, title: "MQTT", version: version === 5 ? "5.0" : "3.1.1" };
  return { capabilities, serverInfo, instructions: undefined, greeting: undefined, discovery: undefined };
}
