/**
 * Brings sources under the hub: what stands in the file, what is registered, REST APIs of the store, and devices that dialled
 * in. What a server offered last time is kept, so that listing its tools starts nothing.
 */
import { createHash } from "node:crypto";
import type { AbilityContext } from "../abilities/ability.ts";
import type { ServerConfig, ServerPolicy, ZaguanConfig } from "../config/types.ts";
import type { ToolDefinition } from "../core/call.ts";
import type { Emit } from "../core/events.ts";
import type { Attachment, Hub, KnownOffers } from "../core/hub.ts";
import type { Owners } from "../core/shared/owners.ts";
import type { NodeOfCluster } from "../nodes/node-of-cluster.ts";
import type { Mirrored } from "../registry/servers.ts";
import { isLoopback } from "../security/addresses.ts";
import type { ApiOptions } from "../sources/api/operation.ts";
import type { DeviceChannel } from "../sources/device/channel.ts";
import { type Changes, type DirectoryEntry, type Origin, SourceDirectory, type Wanted } from "../sources/directory.ts";
import { deviceKind, type PreparedSource, prepareApi, prepareDevice, prepareServer } from "../sources/index.ts";
import type { Unaddressed } from "../sources/pool/lent-connection.ts";
import { Pool } from "../sources/pool/pool.ts";
import type { Declared, Source, SupervisorPorts } from "../sources/source.ts";
import { type SupervisorPolicy, supervise } from "../sources/supervisor.ts";
import type { DocumentTable } from "../store/store.ts";
import { type FileSource, isReachedByUrl, OWN_POLICY, type Surroundings, sourcesIn } from "./file-sources.ts";
import { callOrdered, checkOrdered } from "./ordered-calls.ts";
import { systemClock, systemRandom } from "./system.ts";

/** How long a source may take to become ready, unless its kind or the configuration says otherwise. */
const READY_SECONDS = 60;
const KNOWN_TOOLS = "tools";

/** Devices answer their handshake at once, or never. */
const DEVICE_POLICY: ServerPolicy = { ...OWN_POLICY, trusted: false, readySeconds: 10 };

type Rules = Omit<SupervisorPolicy, "onToolsChanged">;

interface Known extends KnownOffers {
  /** Absent of what is not remembered from one start to the next. */
  readonly fingerprint: string | undefined;
}

interface WantedSource extends Wanted {
  /** Where it is an MCP server. */
  readonly server?: ServerConfig | undefined;
  /** Set where its tools are remembered: they are still its own as long as this is the same. */
  readonly fingerprint?: string | undefined;
  /** The nodes that alone may hold it. */
  readonly pins?: readonly string[] | undefined;
}

/** All that it takes to bring a source under the hub. */
interface ReadySource {
  readonly prepared: PreparedSource;
  readonly policy: ServerPolicy;
  readonly known: KnownOffers | undefined;
}

/** What an ability needs to know of those who order calls. */
type Orders = Pick<AbilityContext, "attached" | "principalOf">;

interface SourcesSetup {
  readonly hub: Hub;
  readonly owners: Owners;
  readonly documents: DocumentTable;
  /** The documents of sources, which can be read while the store is away. */
  readonly lasting: DocumentTable;
  readonly emit: Emit;
  readonly allowPrivate: boolean;
  readonly orders: Orders;
  /** Undefined for a hub that runs alone. */
  readonly cluster?: NodeOfCluster | undefined;
  config(): ZaguanConfig;
}

export class AttachedSources {
  readonly #setup: SourcesSetup;
  readonly #directory: SourceDirectory<WantedSource>;
  readonly #ports: SupervisorPorts;
  readonly #quietPorts: SupervisorPorts;
  /** What each source last offered; only in a cluster. */
  readonly #last = new Map<string, Known>();

  constructor(setup: SourcesSetup) {
    const { hub, owners, emit } = setup;
    this.#setup = setup;
    this.#directory = new SourceDirectory(hub, owners);
    this.#ports = { clock: systemClock, random: systemRandom, emit };
    this.#quietPorts = { ...this.#ports, emit: (event) => void (event.type !== "source-state" && emit(event)) };
  }

  /**
   * What stands in the file, and the house. `prepare` is awaited when it is known who has which name, and before anything
   * comes or goes.
   */
  async apply(config: ZaguanConfig, prepare: () => Promise<void>): Promise<Changes> {
    const byOrigin = Map.groupBy(sourcesIn(config), ({ origin }) => origin);
    const wantedBy = (origin: FileSource["origin"]): Map<string, WantedSource> =>
      new Map(byOrigin.get(origin)?.map((source) => [source.name, this.#inFile(source)]));
    const all = (["built-in", "configured"] as const).map((origin) => [origin, wantedBy(origin)] as const);
    const changes = await this.#directory.replace(new Map(all), prepare);
    this.#updateHeldSources();
    return changes;
  }

  /**
   * Attaches a server of the registry with the tools that were stored of it. It is not contacted before somebody uses it.
   */
  async setRegistered(name: string, server: ServerConfig, tools: readonly ToolDefinition[]): Promise<void> {
    const fingerprint = fingerprintOf(server);
    const prepare = async (): Promise<ReadySource> => {
      const offers = (await this.#known(name, fingerprint))?.offers ?? {};
      return { prepared: prepareServer(server, this.#settings()), policy: server.policy, known: { tools, offers } };
    };
    const isShared = isReachedByUrl(server);
    const places = this.#places(name, isShared, prepare);
    await this.#directory.set("registered", name, { entry: server, server, fingerprint, isShared, ...places });
    // Another node may have found the tools of a server that every node reaches by itself.
    if (this.#setup.cluster && isShared && this.originOf(name) === "registered") this.#setup.hub.learned(name, tools);
    this.#updateHeldSources();
  }

  /** An API that stands in the store. What it offers is known before anything is asked of it; `onAttached` is told. */
  async setApi(
    name: string,
    options: ApiOptions,
    concurrency: number | undefined,
    onAttached: (tools: readonly ToolDefinition[]) => Promise<void>,
  ): Promise<void> {
    await this.#directory.set("api", name, {
      entry: { options, concurrency },
      isShared: true,
      attach: async () => {
        const prepared = await prepareApi(options);
        this.#supervise(name, prepared, { ...OWN_POLICY, concurrency }, prepared.known);
        await onAttached(prepared.known.tools);
      },
    });
  }

  /** A device that dialled in. It is asked at once what it offers. */
  async setDevice(name: string, channel: DeviceChannel): Promise<void> {
    await this.#directory.set("device", name, {
      // Each socket is another.
      entry: Symbol(name),
      isShared: true,
      attach: async () => {
        const prepared = await prepareDevice(channel, this.#setup.config().xiaozhi.vision);
        // Nothing has to be started for it, so that it need not wait until those before it have been asked.
        this.#supervise(name, prepared, DEVICE_POLICY, undefined).start();
      },
    });
  }

  /**
   * Attaches a device that has dialled another node, with the tools that this node reports; if it is attached already, updates its
   * tools.
   */
  async setRemoteDevice(name: string, tools: readonly ToolDefinition[]): Promise<void> {
    const { hub, cluster } = this.#setup;
    if (!cluster) return;
    if (this.#directory.wanted("device", name)?.attachElsewhere) {
      hub.learned(name, tools);
      return;
    }
    const attachElsewhere = async (): Promise<void> => {
      const kind = await deviceKind();
      hub.attach({
        source: cluster.sources.openForwarding(name, kind),
        policy: DEVICE_POLICY,
        known: { tools, offers: {} },
      });
    };
    // It can move to this node only by dialling it, so that it is always attached as a device of another node here.
    await this.#directory.set("device", name, { entry: Symbol(name), attach: attachElsewhere, attachElsewhere });
  }

  /** One that is only away finds the names of its tools again. */
  async remove(origin: Origin, name: string, isAway = false): Promise<void> {
    await this.#directory.remove(origin, name, isAway);
    this.#updateHeldSources();
  }

  /** The names of what an origin wants. */
  namesOf(origin: Origin): readonly string[] {
    return this.#directory.list().flatMap((entry) => (entry.origin === origin ? entry.name : []));
  }

  originOf(name: string): Origin | undefined {
    return this.#directory.get(name)?.origin;
  }

  /** What the registry tells of without keeping it. */
  mirrored(): Map<string, Mirrored> {
    return mirroredIn(this.#directory.list());
  }

  /** A server was asked by a connection apart: what it offers is what the hub offers now. */
  async learned(name: string, tools: readonly ToolDefinition[]): Promise<void> {
    const registered = this.#directory.wanted("registered", name)?.server;
    if (registered) await this.setRegistered(name, registered, tools);
    if (registered && this.originOf(name) !== "registered") return;
    const { hub } = this.#setup;
    const state = hub
      .sources()
      .find((source) => source.name === name)
      ?.status().state;
    // A server that was just seen must not be waited for, because the hub gave it up some time ago.
    if (registered && (state === "broken" || state === "waiting")) await this.#directory.renew(name);
    hub.learned(name, tools);
  }

  /** Keeps what a server offers for the next start; what is always here, or depends on this machine, needs no memory. */
  remember(name: string, { tools, offers }: KnownOffers): void {
    const fingerprint = this.#directory.get(name)?.wanted.fingerprint;
    const known: Known = { fingerprint, tools, offers };
    // A source that moves to another node keeps its tools.
    if (this.#setup.cluster) this.#last.set(name, known);
    if (fingerprint === undefined) return;
    // Only a hint for the next start: if it cannot be kept, the server is simply asked again.
    this.#setup.documents.put(KNOWN_TOOLS, name, known).catch(() => {});
  }

  #inFile(source: FileSource): WantedSource {
    const { name, entry, server, policy, isDisabled, remembersTools, isShared } = source;
    if (isDisabled) return { entry, server };
    const fingerprint = remembersTools ? fingerprintOf(entry) : undefined;
    const prepare = async (): Promise<ReadySource> => {
      const prepared = await source.prepare(this.#surroundings(name));
      return { prepared, policy, known: prepared.known ?? (await this.#known(name, fingerprint)) };
    };
    const places = this.#places(name, isShared, prepare);
    return { entry, server, fingerprint, isShared, pins: policy.nodes, ...places };
  }

  /** How a source is attached to the hub if it runs here, and if another node of the cluster holds it. */
  #places(
    name: string,
    isShared: boolean,
    prepare: () => Promise<ReadySource>,
  ): Pick<WantedSource, "attach" | "attachElsewhere"> {
    const { cluster, hub } = this.#setup;
    const mayStart = cluster && !isShared ? () => cluster.isLive(name) : undefined;
    const attach = async (): Promise<void> => {
      const { prepared, policy, known } = await prepare();
      this.#supervise(name, prepared, policy, known ?? this.#last.get(name), mayStart);
    };
    if (!cluster || isShared) return { attach };
    const attachElsewhere = async (): Promise<void> => {
      const { prepared, policy, known } = await prepare();
      const source = cluster.sources.openForwarding(name, prepared.kind);
      hub.attach({ ...attachmentOf(prepared, policy), source, known: known ?? this.#last.get(name) });
    };
    return { attach, attachElsewhere };
  }

  /** Tells the cluster which sources there are that only one node may hold. */
  #updateHeldSources(): void {
    const isHeld = ({ origin, wanted }: DirectoryEntry<WantedSource>) => origin !== "device" && wanted.attachElsewhere;
    const once = this.#directory.list().filter(isHeld);
    const all = new Map(once.map(({ name, wanted }) => [name, wanted.pins]));
    this.#setup.cluster?.held.replace("sources", all);
  }

  #settings(): Pick<Surroundings, "lineBytes" | "allowPrivate"> {
    return { lineBytes: this.#setup.config().limits.lineBytes, allowPrivate: this.#setup.allowPrivate };
  }

  #surroundings(name: string): Surroundings {
    const { hub, emit, lasting: documents, orders } = this.#setup;
    const log = (line: string): void => emit({ type: "source-warning", source: name, line });
    const call: AbilityContext["call"] = (order) => callOrdered(hub, order);
    const check: AbilityContext["check"] = (order) => checkOrdered(hub, order);
    const ability = (): AbilityContext => {
      return { ...orders, clock: systemClock, documents, env: process.env, call, check, log };
    };
    return { ...this.#settings(), documents, ability, log };
  }

  #supervise(
    name: string,
    prepared: PreparedSource,
    policy: ServerPolicy,
    known: KnownOffers | undefined,
    mayStart?: () => boolean,
  ): Pool {
    const { hub, cluster } = this.#setup;
    const { kind, options } = prepared;
    const rules = { ...rulesOf(policy, prepared.readySeconds ?? READY_SECONDS), ...(mayStart && { mayStart }) };
    // What the plain connection lives through is the source's story; the others come and go as they are needed.
    const make = (heard: Unaddressed, client?: Declared): Source =>
      supervise(kind, name, options, { ...rules, ...heard, client }, client ? this.#quietPorts : this.#ports);
    const source = new Pool({
      clock: systemClock,
      most: kind.mostLent ?? 0,
      isolated: kind.kind === "stdio",
      known: known?.tools.length ? known.tools.map((tool) => tool.name) : undefined,
      make,
      onNotification: (method, params) => {
        hub.notified(name, method, params);
        cluster?.sources.announce(name, { what: "said", method, params: params.text });
      },
      onToolsChanged: () => {
        hub.refresh(name);
        cluster?.sources.announce(name, { what: "tools" });
      },
      onReady: (isAgain) => {
        hub.cameUp(name, isAgain);
        cluster?.sources.announce(name, { what: "up", isAgain });
      },
    });
    hub.attach({ ...attachmentOf(prepared, policy), source, known });
    if (kind.isEager) source.start();
    return source;
  }

  async #known(name: string, fingerprint: string | undefined): Promise<KnownOffers | undefined> {
    if (fingerprint === undefined) return undefined;
    const last = this.#last.get(name);
    // No read of the database while a source leaves this node: it may leave because the database is away.
    if (last?.fingerprint === fingerprint) return last;
    const read = this.#setup.documents.get(KNOWN_TOOLS, name).catch(() => undefined);
    const kept = (await read) as Partial<Known> | undefined;
    if (!kept?.tools || kept.fingerprint !== fingerprint) return undefined;
    const known: Known = { fingerprint, tools: kept.tools, offers: kept.offers ?? {} };
    if (this.#setup.cluster) this.#last.set(name, known);
    return known;
  }
}

function attachmentOf({ kind, options }: PreparedSource, policy: ServerPolicy): Omit<Attachment, "source"> {
  const normalizeArguments = kind.normalizeArguments?.(options);
  return { policy, translate: kind.translate?.bind(kind), normalizeArguments };
}

export function mirroredIn(entries: readonly DirectoryEntry<WantedSource>[]): Map<string, Mirrored> {
  return new Map(
    entries.flatMap(({ name, origin, wanted: { attach, server } }) => {
      const isKept = origin === "registered" || origin === "api";
      return isKept || !attach ? [] : [[name, { origin, server }] as const];
    }),
  );
}

function rulesOf({ readySeconds, concurrency, trusted }: ServerPolicy, usualSeconds: number): Rules {
  return {
    readyMs: (readySeconds ?? usualSeconds) * 1_000,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(trusted ? { trusted: true } : {}),
  };
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
function fingerprintOf(entry: object): string {
  return createHash("sha256").update(JSON.stringify(entry)).digest("hex");
}
