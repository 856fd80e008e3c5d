/**
 * Brings sources under the hub: the house, every configured server and every house that runs Home Assistant, at the start
 * and whenever the configuration changes. What a server offered last time is kept, so that listing its tools starts nothing.
 */
import { createHash } from "node:crypto";
import type { AbilityContext } from "../abilities/ability.ts";
import { diffServers } from "../config/diff.ts";
import type {
  AbilitiesConfig,
  ApiToolsConfig,
  DevicesConfig,
  HomeAssistantConfig,
  ServerConfig,
  ServerPolicy,
  ZaguanConfig,
} from "../config/types.ts";
import type { ToolDefinition } from "../core/call.ts";
import type { Emit } from "../core/events.ts";
import type { Hub, KnownOffers } from "../core/gateway.ts";
import { isLoopback } from "../security/addresses.ts";
import type { ApiOptions } from "../sources/api/operation.ts";
import type { DeviceChannel } from "../sources/device/channel.ts";
import { makeHouseKind } from "../sources/house/source.ts";
import { type PreparedSource, prepareApi, prepareDevice, prepareHouse, prepareServer } from "../sources/index.ts";
import type { Unaddressed } from "../sources/pool/lent-connection.ts";
import { Pool } from "../sources/pool/pool.ts";
import type { Declared, Source, SupervisorPorts } from "../sources/source.ts";
import { type SupervisorPolicy, supervise } from "../sources/supervisor.ts";
import type { DocumentTable } from "../store/store.ts";
import { callOrdered, checkOrdered } from "./ordered-calls.ts";
import { systemClock, systemRandom } from "./system.ts";

export const HOUSE = "house";
/** How long a source may take to become ready, unless its kind or the configuration says otherwise. */
const READY_SECONDS = 60;
/** The folder of the user's own. */
const TOOLS = "tools";
const KNOWN_TOOLS = "tools";

const HOUSE_POLICY: ServerPolicy = {
  trusted: true,
  allowPrivate: false,
  repeatable: [],
  cacheSeconds: {},
};

const API_POLICY: ServerPolicy = { ...HOUSE_POLICY };

/** Devices answer their handshake at once, or never. */
const DEVICE_POLICY: ServerPolicy = { ...HOUSE_POLICY, trusted: false, readySeconds: 10 };

/** A registered server, an API of the store, or a device on its socket. */
type Kept = ServerConfig | ApiOptions | DeviceChannel;

type Rules = Omit<SupervisorPolicy, "onToolsChanged">;

interface Known extends KnownOffers {
  readonly fingerprint: string;
}

/** What an ability needs to know of those who order calls. */
export type Orders = Pick<AbilityContext, "attached" | "principalOf">;

export class AttachedSources {
  readonly #hub: Hub;
  readonly #documents: DocumentTable;
  readonly #emit: Emit;
  readonly #ports: SupervisorPorts;
  readonly #quietPorts: SupervisorPorts;
  readonly #allowPrivate: boolean;
  readonly #config: () => ZaguanConfig;
  readonly #orders: Orders;
  readonly #fingerprints = new Map<string, string>();
  /** What stands not in the file, by name. */
  readonly #kept = new Map<string, Kept>();
  /** The last change of each name that is still under way. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(
    hub: Hub,
    documents: DocumentTable,
    emit: Emit,
    allowPrivate: boolean,
    config: () => ZaguanConfig,
    orders: Orders,
  ) {
    this.#hub = hub;
    this.#orders = orders;
    this.#config = config;
    this.#documents = documents;
    this.#emit = emit;
    this.#ports = { clock: systemClock, random: systemRandom, emit };
    this.#quietPorts = { ...this.#ports, emit: (event) => void (event.type !== "source-state" && emit(event)) };
    this.#allowPrivate = allowPrivate;
  }

  /** In the order of the file, which decides who keeps a name; the house comes first. */
  async attachAll(config: ZaguanConfig): Promise<void> {
    const names = [HOUSE, ...namesIn(config)];
    for (const name of names) await this.#attach(name, config);
  }

  async apply(before: ZaguanConfig, after: ZaguanConfig): Promise<void> {
    const { added, removed, changed } = diffServers(before, after);
    await Promise.all(removed.map((name) => this.#hub.detach(name)));
    await Promise.all(changed.map((name) => this.#hub.replace(name, () => this.#attach(name, after))));
    for (const name of added) {
      await this.detachKept(name);
      await this.#attach(name, after);
    }
    this.#emit({ type: "config-reloaded", added, removed, changed });
  }

  /**
   * One that stands in the registry, with the tools that are known of it. The configuration file has the last word on a
   * name. Nothing is asked of the server until somebody wants something.
   */
  async attachRegistered(name: string, server: ServerConfig, tools: readonly ToolDefinition[]): Promise<void> {
    await this.#attachKept(name, server, () => this.#attachServer(name, server, this.#config(), tools));
  }

  /** An API that stands in the store. What it offers is known before anything is asked of it. */
  async attachApi(name: string, options: ApiOptions, concurrency?: number): Promise<readonly ToolDefinition[]> {
    const prepared = await prepareApi(options);
    const policy = { ...API_POLICY, concurrency };
    await this.#attachKept(name, options, async () => {
      this.#fingerprints.delete(name);
      this.#supervise(name, prepared, policy, prepared.known);
    });
    return prepared.known.tools;
  }

  /** A device that dialled in. It is asked at once what it offers. */
  async attachDevice(name: string, channel: DeviceChannel): Promise<void> {
    const prepared = await prepareDevice(channel, this.#config().xiaozhi.vision);
    await this.#attachKept(name, channel, async () => {
      this.#fingerprints.delete(name);
      // Nothing has to be started for it, so that it need not wait until those before it have been asked.
      this.#supervise(name, prepared, DEVICE_POLICY, undefined).start();
    });
  }

  async #attachKept(name: string, kept: Kept, attachNow: () => Promise<void>): Promise<void> {
    if (name === HOUSE || isConfigured(this.#config(), name)) return;
    this.#kept.set(name, kept);
    await this.#inTurn(name, async () => {
      // While its turn came, it may have been changed once more, or removed.
      const attach = async (): Promise<void> => {
        if (this.#kept.get(name) === kept) await attachNow();
      };
      if (this.#hub.has(name)) await this.#hub.replace(name, attach);
      else await attach();
    });
  }

  /** One that stands in the store, or a device; one that is only away finds the names of its tools again. */
  async detachKept(name: string, isAway = false): Promise<void> {
    // One of the configuration file may have the name; that is not taken away here.
    if (this.#kept.delete(name)) await this.#inTurn(name, () => this.#hub.detach(name, isAway ? "away" : "removed"));
  }

  /** Changes of one name never overlap: an old source may take its time to close. */
  async #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    this.#turns.set(name, settled);
    await turn.finally(() => this.#turns.get(name) === settled && this.#turns.delete(name));
  }

  /** What was found by asking apart is what the hub offers now. */
  async learned(name: string, tools: readonly ToolDefinition[]): Promise<void> {
    const kept = this.#kept.get(name);
    const state = this.#hub
      .sources()
      .find((source) => source.name === name)
      ?.status().state;
    // A server that was just seen must not be waited for, because the hub gave it up some time ago.
    const isGivenUp = state === "broken" || state === "waiting";
    if (kept && "type" in kept && isGivenUp) await this.attachRegistered(name, kept, tools);
    this.#hub.learned(name, tools);
  }

  /** Keeps what a server offers for the next start; the house is always here and needs no memory. */
  remember(name: string, offers: KnownOffers): void {
    const fingerprint = this.#fingerprints.get(name);
    if (fingerprint === undefined) return;
    const known: Known = { fingerprint, tools: offers.tools, offers: offers.offers };
    // Only a hint for the next start: if it cannot be kept, the server is simply asked again.
    this.#documents.put(KNOWN_TOOLS, name, known).catch(() => {});
  }

  async #attach(name: string, config: ZaguanConfig): Promise<void> {
    if (name === HOUSE) return this.#attachHouse(config);
    if (name === TOOLS || Object.hasOwn(config.devices.abilities, name)) await this.#attachOwn(name, config.devices);
    const server = config.mcpServers[name];
    if (server && !server.disabled) await this.#attachServer(name, server, config);
    const home = config.homeAssistant[name];
    if (home && !home.disabled) await this.#attachHome(name, home, config);
    const api = config.apiTools[name];
    if (api && !api.disabled) await this.#attachConfiguredApi(name, api);
  }

  async #attachConfiguredApi(name: string, api: ApiToolsConfig): Promise<void> {
    const { prepareConfiguredApi } = await import("./configured-apis.ts");
    const prepared = await prepareConfiguredApi(name, api, this.#allowPrivate);
    this.#fingerprints.set(name, fingerprintOf(api));
    this.#supervise(name, prepared, api.policy, prepared.known ?? (await this.#known(name)));
  }

  /** What it offers is ours and known, so that nothing of it has to be remembered. */
  async #attachHome(name: string, home: HomeAssistantConfig, config: ZaguanConfig): Promise<void> {
    const settings = { lineBytes: config.limits.lineBytes, allowPrivate: this.#allowPrivate };
    const prepared = await prepareHouse(name, home, settings);
    this.#fingerprints.delete(name);
    this.#supervise(name, prepared, home.policy, prepared.known);
  }

  async #attachServer(
    name: string,
    server: ServerConfig,
    config: ZaguanConfig,
    tools?: readonly ToolDefinition[],
  ): Promise<void> {
    const settings = { lineBytes: config.limits.lineBytes, allowPrivate: this.#allowPrivate };
    this.#fingerprints.set(name, fingerprintOf(server));
    const known = await this.#known(name);
    this.#supervise(
      name,
      prepareServer(server, settings),
      server.policy,
      tools ? { tools, offers: known?.offers ?? {} } : known,
    );
  }

  /** Loaded where something of it is enabled. What they offer depends on this machine, so that it is not remembered. */
  async #attachOwn(name: string, { tools, abilities }: DevicesConfig): Promise<void> {
    const { prepareAbility, prepareToolsFolder } = await import("./own-tools.ts");
    const settings = abilities[name as keyof AbilitiesConfig];
    this.#fingerprints.delete(name);
    const log = (line: string): void => this.#emit({ type: "source-warning", source: name, line });
    if (settings)
      this.#supervise(name, prepareAbility(name, settings, this.#surroundings(log)), HOUSE_POLICY, undefined);
    else if (tools !== undefined) this.#supervise(name, prepareToolsFolder(tools, log), HOUSE_POLICY, undefined);
  }

  #surroundings(log: AbilityContext["log"]): AbilityContext {
    const call: AbilityContext["call"] = (order) => callOrdered(this.#hub, order);
    const check: AbilityContext["check"] = (order) => checkOrdered(this.#hub, order);
    return { ...this.#orders, clock: systemClock, documents: this.#documents, env: process.env, call, check, log };
  }

  #attachHouse(config: ZaguanConfig): void {
    const options = config.devices.house;
    if (options === false) return;
    const kind = makeHouseKind(this.#documents);
    this.#supervise(HOUSE, { kind: kind as PreparedSource["kind"], options }, HOUSE_POLICY, undefined);
  }

  #supervise(name: string, prepared: PreparedSource, policy: ServerPolicy, known: KnownOffers | undefined): Pool {
    const { kind, options } = prepared;
    const rules = rulesOf(policy, prepared.readySeconds ?? READY_SECONDS);
    // What the plain connection lives through is the source's story; the others come and go as they are needed.
    const make = (heard: Unaddressed, client?: Declared): Source =>
      supervise(kind, name, options, { ...rules, ...heard, client }, client ? this.#quietPorts : this.#ports);
    const source = new Pool({
      clock: systemClock,
      most: kind.mostLent ?? 0,
      isolated: kind.kind === "stdio",
      known: known?.tools.length ? known.tools.map((tool) => tool.name) : undefined,
      make,
      onNotification: (method, params) => this.#hub.notified(name, method, params),
      onToolsChanged: () => this.#hub.refresh(name),
      onReady: (isAgain) => this.#hub.cameUp(name, isAgain),
    });
    const { coerces } = kind;
    const ways = { translate: kind.translate?.bind(kind), meant: kind.meant?.(options), coerces };
    this.#hub.attach({ source, policy, known, ...ways });
    if (kind.isEager) source.start();
    return source;
  }

  async #known(name: string): Promise<KnownOffers | undefined> {
    const kept = (await this.#documents.get(KNOWN_TOOLS, name)) as Partial<Known> | undefined;
    if (!kept?.tools || kept.fingerprint !== this.#fingerprints.get(name)) return undefined;
    return { tools: kept.tools, offers: kept.offers ?? {} };
  }
}

function rulesOf({ readySeconds, concurrency, trusted }: ServerPolicy, usualSeconds: number): Rules {
  return {
    readyMs: (readySeconds ?? usualSeconds) * 1_000,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(trusted ? { trusted: true } : {}),
  };
}

/** Whether the configuration file has the last word on a name. */
function isConfigured(config: ZaguanConfig, name: string): boolean {
  return namesIn(config).includes(name);
}

/** In the order of their kinds and, in each, of the file. */
export function namesIn({ mcpServers, homeAssistant, apiTools, devices }: ZaguanConfig): string[] {
  const named = [mcpServers, homeAssistant, apiTools, devices.abilities].flatMap((each) => Object.keys(each));
  return devices.tools === undefined ? named : [...named, TOOLS];
}

/** Houses whose token can be read on its way there. */
export function housesInTheClear({ homeAssistant }: ZaguanConfig): readonly string[] {
  return Object.keys(homeAssistant).filter((name) => isInTheClear(homeAssistant[name]?.url ?? ""));
}

function isInTheClear(address: string): boolean {
  const url = URL.parse(address);
  const host = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
  return url?.protocol === "http:" && host !== "localhost" && !isLoopback(host);
}

/** A hash, since the configuration may hold secrets that have no place in the database. */
function fingerprintOf(server: ServerConfig | ApiToolsConfig): string {
  return createHash("sha256").update(JSON.stringify(server)).digest("hex");
}
