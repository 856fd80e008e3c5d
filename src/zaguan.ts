/**
 * The composition root: the one place that knows implementations. It reads the configuration, opens the store, builds
 * the hub, attaches sources, opens doors, follows changes of the file, and takes everything down again in order.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeptApis } from "./apis/open.ts";
import { makeCallBoard } from "./compose/call-board.ts";
import type { JoinedCluster } from "./compose/cluster/join.ts";
import type { ClusterSessionNodes } from "./compose/cluster/session-nodes.ts";
import { type ClusterSettings, changedSettings, clusterSettings } from "./compose/cluster/settings.ts";
import { DeviceHolders } from "./compose/device-holders.ts";
import { Devices } from "./compose/devices.ts";
import { makeHouseLive } from "./compose/house-live/index.ts";
import { makeHub } from "./compose/hub.ts";
import { housesAmong, hubStatus } from "./compose/hub-status.ts";
import { cannotOpenKeys } from "./compose/key-ring.ts";
import { cannotListen, credentials, doorLimits, httpSettings } from "./compose/listening.ts";
import { Observers } from "./compose/observers.ts";
import { LOCAL, type Principals, principalOf } from "./compose/ordered-calls.ts";
import { holdersIn, type OpenedRegistry, openRegistry } from "./compose/registry.ts";
import { removeRunFile, writeRunFile } from "./compose/run-file.ts";
import { AttachedSources, housesInTheClear } from "./compose/sources.ts";
import { openStore } from "./compose/store.ts";
import type { StoreMemory } from "./compose/store-memory.ts";
import { randomToken, systemClock, systemRandom } from "./compose/system.ts";
import { isVoiceCloud, VoiceClouds } from "./compose/voice-clouds.ts";
import { ConfigError } from "./config/config-error.ts";
import { loadConfig } from "./config/config-file.ts";
import type { ServeOptions, ZaguanConfig } from "./config/types.ts";
import { watchConfig } from "./config/watch.ts";
import type { Principal } from "./core/call.ts";
import type { Gateway, Servers } from "./core/gateway.ts";
import type { Hub, KnownOffers } from "./core/hub.ts";
import type { OffersGateway } from "./core/offers.ts";
import { LocalAnswerCache } from "./core/shared/answer-cache.ts";
import { type Changes, LocalChanges } from "./core/shared/changes.ts";
import { localForDoors, type SharedByDoors } from "./core/shared/for-doors.ts";
import { LocalOwners, type Owners } from "./core/shared/owners.ts";
import { LocalRates, type Rates } from "./core/shared/rates.ts";
import { BridgeSessions } from "./doors/bridge/sessions.ts";
import type { DoorContext, HubStatus } from "./doors/door.ts";
import { HttpServer } from "./doors/http/server.ts";
import { DOORS } from "./doors/index.ts";
import type { SessionNodes } from "./doors/mcp/session-nodes.ts";
import { ZaguanError } from "./errors.ts";
import { boundHeap } from "./heap.ts";
import { closeInheritedDescriptors } from "./link/child-environment.ts";
import { forgetDeadline, keepDeadlines, setDeadline } from "./link/undertaker.ts";
import { type Language, say } from "./messages/catalogue.ts";
import type { NodeOfCluster } from "./nodes/node-of-cluster.ts";
import { type Log, openLog } from "./observe/log.ts";
import type { Registry } from "./registry/ports.ts";
import { addOwnAddress, isLocalName, isLoopbackIdentity } from "./security/addresses.ts";
import { mintLocalToken } from "./security/api-keys.ts";
import { type Authenticator, type CredentialHeaders, makeAuthenticator } from "./security/authenticate.ts";
import { HOP_VARIABLE, hubChain } from "./security/hub-chain.ts";
import type { Store } from "./store/store.ts";

export interface OpenOptions {
  readonly serve: ServeOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether to listen on the port. */
  readonly http: boolean;
  /** Whether this process is the hub and nothing else: then descriptors that it was started with are closed. */
  readonly ownsProcess?: boolean | undefined;
  readonly log?: Log | undefined;
}

export interface Zaguan {
  /** Where the HTTP port is, if it is open. */
  readonly url: string | undefined;
  readonly gateway: Gateway;
  readonly store: Store;
  /** Resolves when nothing of it is left: no socket, no child, no timer. */
  close(): Promise<void>;
}

interface StdioOptions {
  readonly line: boolean;
  readonly language: Language;
  /** Only this server, under its own names. */
  readonly source?: string | undefined;
  /** As this agent: its linked tools alone. */
  readonly agent?: string | undefined;
}

/** Rejects with a ConfigError whose message is one clear line. */
export async function openZaguan(options: OpenOptions): Promise<Zaguan> {
  const { configFile, dataDir, language } = options.serve;
  if (!hubChain.begin(configFile, dataDir, options.env[HOP_VARIABLE]))
    throw new ConfigError(say(language, "start.circle"));
  const config = await loadConfig(configFile, options.env);
  // Only now: the file may be one of them (`--config <(…)`).
  if (options.ownsProcess) {
    closeInheritedDescriptors();
    boundHeap(options.http ? "many" : "one");
  }
  // A process that serves a single client on stdio is no node of a cluster.
  const settings = options.http ? await clusterSettings(options.serve, config, options.env) : undefined;
  const database = options.serve.database ?? config.cluster.database;
  const store = await openStore({ dataDir, database, env: options.env, language });
  const memory = options.http ? await memoryOf(store) : undefined;
  const engines = { store, memory, joined: await joined(settings, store, language) };
  if (engines.joined) hubChain.join(engines.joined.family);
  const running = new RunningZaguan(options, config, engines);
  try {
    await running.start();
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

/** Undefined for the embedded database, which is never away. */
async function memoryOf(store: Store): Promise<StoreMemory | undefined> {
  return store.address === undefined ? undefined : (await import("./compose/store-memory.ts")).rememberStore(store);
}

/** Undefined for a hub that runs alone. */
async function joined(
  settings: ClusterSettings | undefined,
  store: Store,
  language: Language,
): Promise<JoinedCluster | undefined> {
  if (!settings) return undefined;
  const { joinCluster } = await import("./compose/cluster/join.ts");
  // There is no hub yet that could report what a listener of the bus throws; the bus counts it.
  return joinCluster({ settings, store, language, report: () => {} }).catch(async (error) => {
    await store.close();
    throw error;
  });
}

/** Resolves when the client on our standard input has gone and has its answers. */
export async function serveOwnStdio(zaguan: Zaguan, options: StdioOptions): Promise<void> {
  const running = zaguan as RunningZaguan;
  const { language, line, agent } = options;
  const source = options.source && (running.slugOf(options.source) ?? options.source);
  const { agents } = running.registry;
  const principal = agent === undefined ? LOCAL : await agents.actingAs(agent, LOCAL);
  const gateway = source === undefined ? running.gateway : running.scoped(source);
  const server = source === undefined ? undefined : { servers: running.servers, source };
  const { jsonDepth, jsonElements, lineBytes } = running.config.limits;
  const limits = { depth: jsonDepth, elements: jsonElements, lineBytes };
  const { serveLinesOnStdio, serveMcpOnStdio } = await import("./compose/own-stdio.ts");
  const serve = line ? serveLinesOnStdio : serveMcpOnStdio;
  const { offers } = running;
  const report = (cause: unknown): string => running.report(cause);
  // A running hub may change the links meanwhile; here nobody else would tell us.
  const refresh = (): void => void agents.refresh().catch(report);
  const watch = agent === undefined ? undefined : setInterval(refresh, LINKS_MS);
  try {
    await serve({ gateway, principal, offers, server, language, limits, report });
  } finally {
    clearInterval(watch);
  }
}

/** What is opened before the hub is made. */
interface Engines {
  readonly store: Store;
  readonly memory: StoreMemory | undefined;
  readonly joined: JoinedCluster | undefined;
}

/** How long a link that was taken away lives on in `zaguan stdio --agent`: as long as a revoked key does. */
const LINKS_MS = 2_000;

class RunningZaguan implements Zaguan {
  url: string | undefined;
  config: ZaguanConfig;
  readonly store: Store;
  readonly #options: OpenOptions;
  readonly #log: Log;
  readonly #observers: Observers;
  readonly #cache: LocalAnswerCache;
  readonly #hub: Hub;
  readonly #sources: AttachedSources;
  readonly #changes: Changes;
  readonly #cluster: NodeOfCluster | undefined;
  readonly #joined: JoinedCluster | undefined;
  readonly #memory: StoreMemory | undefined;
  readonly #owners: Owners;
  readonly #sharedByDoors: SharedByDoors;
  readonly #startedAt = Date.now();
  /** Resolves when all sources are attached for the first time. */
  readonly #attached = Promise.withResolvers<void>();
  readonly #deviceHolders: DeviceHolders;
  readonly #devices: Devices;
  readonly #voiceClouds: VoiceClouds;
  #authenticator: Authenticator;
  #registry: Registry | undefined;
  #apis: KeptApis | undefined;
  #bridgeSessions: BridgeSessions | undefined;
  #server: HttpServer | undefined;
  #forgetAddress = (): void => {};
  readonly #localToken = mintLocalToken();
  #isBehindProxy = false;
  #watch: { close(): void } | undefined;
  #closing: Promise<void> | undefined;
  #passing: "starting" | "stopping" | undefined = "starting";
  #lastChange: Promise<void> = Promise.resolve();

  constructor(options: OpenOptions, config: ZaguanConfig, { store, memory, joined }: Engines) {
    const cluster = joined?.node;
    this.#options = options;
    this.#joined = joined;
    this.#cluster = cluster;
    this.#memory = memory;
    this.#owners = cluster?.held ?? new LocalOwners();
    this.#owners.watch((key) => this.#leaseMoved(key));
    this.#changes = cluster?.changes ?? new LocalChanges();
    const node = joined && { idSuffix: joined.node.idSuffix, family: joined.family };
    this.#sharedByDoors = localForDoors(randomToken, node);
    this.config = config;
    this.store = store;
    this.#log = options.log ?? openLog({ level: config.log.level });
    this.#observers = new Observers(this.#log);
    this.#cache = new LocalAnswerCache(config.limits.cacheBytes, {
      missed: () => this.#observers.statistics.cacheMiss(),
      evicted: (count) => this.#observers.statistics.evicted(count),
    });
    this.#hub = makeHub({
      emit: (event) => this.#observers.take(event),
      cache: this.#cache,
      rates: this.#makeRates(),
      limits: () => this.config.limits,
      onListed: (source, offers) => this.#listed(source, offers),
      onSchemaSkipped: (reason) => this.#log.debug("a schema is left to its source to check", { reason }),
    });
    if (cluster) keepDeadlines();
    cluster?.enter({
      hub: this.#hub,
      maxCallMs: () => this.config.limits.callMaxSeconds * 1_000,
      deadline: (source, at) => (at === undefined ? forgetDeadline(source) : setDeadline(source, at)),
      onReplaced: () => this.#replaced(),
      report: (cause) => void this.report(cause),
    });
    cluster?.onRemoteChange((change) => {
      if (change === "links") void this.#inTurn(() => this.#attachKept()).catch((cause) => this.report(cause));
      // An agent's links were changed at another node.
      if (change === "tools") void this.#registry?.agents.refresh().catch((cause) => this.report(cause));
    });
    this.#sources = new AttachedSources({
      hub: this.#hub,
      owners: this.#owners,
      cluster,
      documents: store.documents,
      lasting: memory?.documents ?? store.documents,
      emit: (event) => {
        this.#observers.take(event);
        if (event.type === "source-state") cluster?.sources.statusChanged(event.source);
      },
      allowPrivate: options.serve.allowPrivate,
      config: () => this.config,
      orders: { attached: this.#attached.promise, principalOf: (starter) => principalOf(starter, this.#principals()) },
    });
    store.onFault((reason) => {
      if (reason === undefined) {
        this.#log.info("the store can be written again");
        this.#catchUp();
      } else this.#log.error("the store cannot be written; it is tried again", { reason });
    });
    this.#deviceHolders = new DeviceHolders({
      documents: store.documents,
      servers: store.registry.servers,
      keys: store.keys,
      hasLocalUser: () => !this.config.auth.requireKey && this.#trustsLoopback(),
    });
    this.#devices = this.#openDevices();
    this.#voiceClouds = this.#openVoiceClouds();
    this.#authenticator = this.#makeAuthenticator();
    this.#changes.watch((change) => change === "keys" && this.#keysChanged());
    cluster?.onReconnected(() => this.#catchUp());
  }

  #makeRates(): Rates {
    const perMinute = (): number => this.config.limits.callsPerMinute;
    return this.#cluster?.shareRates(systemClock, perMinute) ?? new LocalRates(perMinute);
  }

  get registry(): Registry {
    if (!this.#registry) throw new TypeError("not started");
    return this.#registry;
  }

  get gateway(): Gateway {
    return this.#hub;
  }

  get servers(): Servers {
    return this.#hub;
  }

  get offers(): OffersGateway {
    return this.#hub.offers;
  }

  async start(): Promise<void> {
    const { http } = this.#options;
    if (http) await this.#refuseOpenDoor();
    const { registry, apis } = await this.#openRegistry();
    this.#registry = registry;
    this.#apis = apis;
    await this.#memory?.knownKeys.refresh();
    await this.#deviceHolders.read();
    if (http) await this.#openBridge();
    this.#watchFile();
    // The port first: if it cannot be had, nothing was started in vain.
    if (http) await this.#listen();
    await this.#inTurn(() => this.#attachAll());
    this.#cluster?.start();
    this.#attached.resolve();
    this.#passing = undefined;
    if (this.#memory) this.#readAgents(registry);
  }

  /** Nobody waits for it. */
  #readAgents({ agents }: Registry): void {
    agents.readAll().catch((cause) => {
      if (!this.#closing) this.report(cause);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  report(cause: unknown): string {
    const reference = randomBytes(4).toString("hex");
    this.#observers.take({ type: "internal-error", reference, cause });
    return reference;
  }

  /** A slug has the first right to be meant. */
  slugOf(server: string): string | undefined {
    return this.#hub.has(server) ? undefined : this.#registry?.servers.slugOf(server);
  }

  scoped(source: string): Gateway {
    const known = this.#hub.sources().map(({ name }) => name);
    if (known.includes(source)) return this.#hub.through(source);
    throw new ConfigError(
      say(this.#options.serve.language, "start.unknownServer", { name: source, known: known.join(", ") }),
    );
  }

  #openRegistry(): Promise<OpenedRegistry> {
    const { dataDir, allowPrivate, language } = this.#options.serve;
    const opening = openRegistry({
      store: this.store,
      remembered: this.#memory,
      hub: this.#hub,
      sources: this.#sources,
      dataDir,
      allowPrivate,
      env: this.#options.env,
      config: () => this.config,
      report: (cause) => this.report(cause),
      changes: this.#changes,
    });
    return opening.catch((cause) => {
      throw cannotOpenKeys(cause, language);
    });
  }

  async #openBridge(): Promise<void> {
    const limits = () => doorLimits(this.config);
    const report = (cause: unknown) => this.report(cause);
    const isShared = this.#cluster !== undefined;
    this.#bridgeSessions = await BridgeSessions.open({ table: this.store.sessions, limits, report, isShared });
    this.#observers.statistics.watch({ queue: () => this.#hub.queue().byPriority, cache: () => this.#cache.size() });
  }

  /** The file's servers first: they have the older right to their names. */
  async #attachAll(): Promise<void> {
    this.#warnOfOpenTokens(this.config);
    await this.#sources.apply(this.config, () => this.#mirror());
    await this.#registry?.servers.attachAll();
    await this.#apis?.attachAll();
    if (this.#options.http) await this.#voiceClouds.apply(this.config);
  }

  /** Applies what another node has registered, changed or removed. */
  async #attachKept(): Promise<void> {
    const { registry, apis } = this.store;
    const kept = {
      registered: await registry.servers.list({ origin: "registered" }),
      api: await apis.list(),
    };
    for (const origin of ["registered", "api"] as const) {
      const names = new Set(kept[origin].map(({ name }) => name));
      for (const name of this.#sources.namesOf(origin)) if (!names.has(name)) await this.#sources.remove(origin, name);
    }
    await this.#registry?.servers.attachAll();
    await this.#apis?.attachAll();
  }

  /** The database or NATS is back: reads again what other nodes may have changed meanwhile. */
  #catchUp(): void {
    if (!this.#memory || !this.#registry || this.#closing) return;
    this.#keysChanged();
    this.#registry.agents.refresh().catch((cause) => this.report(cause));
    this.#inTurn(() => this.#attachKept()).catch((cause) => this.report(cause));
    this.#hub.announceTools();
  }

  /** Two processes with one node name would get each other's answers, so the older one ends. */
  #replaced(): void {
    this.#log.error("another process has the name of this node in the cluster; this one ends");
    process.kill(process.pid, "SIGTERM");
  }

  #warnOfOpenTokens(config: ZaguanConfig): void {
    for (const source of housesInTheClear(config))
      this.#log.warn("the token of a house travels unencrypted", { source });
  }

  /**
   * Configured servers are in the registry too, so that agents can be linked to their tools. Where that fails, they work
   * all the same.
   */
  async #mirror(): Promise<void> {
    const mirroring = this.#registry?.servers.mirrorOnly(this.#sources.mirrored(), this.#cluster !== undefined);
    await mirroring?.catch((cause) => void this.report(cause));
  }

  #listed(source: string, offers: KnownOffers): void {
    const tools = [...offers.tools, ...(offers.unfit ?? [])];
    const origin = this.#sources.originOf(source);
    if (origin === "device") this.#devices.listed(source, tools);
    if (origin === undefined || origin === "device") return;
    this.#sources.remember(source, offers);
    this.#registry?.servers.listed(source, tools, origin);
  }

  #makeAuthenticator(): Authenticator {
    return makeAuthenticator(this.#memory?.knownKeys ?? this.store.keys, {
      requireKey: this.config.auth.requireKey,
      trustsLoopback: () => this.#trustsLoopback(),
      localToken: this.#localToken,
      ...holdersIn(() => this.#registry),
    });
  }

  #trustsLoopback(): boolean {
    return isLoopbackIdentity({ host: this.#options.serve.host, ...this.config.auth }) && !this.#isBehindProxy;
  }

  /** Beyond loopback nobody gets in without a key, so without any key there is no point in opening. */
  async #refuseOpenDoor(): Promise<void> {
    const { host, language } = this.#options.serve;
    if (isLocalName(host) || (await this.store.keys.countActive()) > 0) return;
    throw new ConfigError(say(language, "start.needsKey", { host }));
  }

  async #listen(): Promise<void> {
    const { host, port, language } = this.#options.serve;
    const report = (cause: unknown) => this.report(cause);
    const sessionNodes = this.#cluster && (await this.#openSessionNodes(this.#cluster));
    const context = this.#doorContext(sessionNodes);
    const doors = DOORS.map((open) => open(context));
    this.#server = new HttpServer({
      host,
      port,
      language,
      doors,
      settings: () => httpSettings(this.config),
      authenticate: (headers, local) => this.#authenticate(credentials(headers), local),
      actingAs: (agent, principal) => this.registry.agents.actingAs(agent, principal),
      slugOf: (name) => this.slugOf(name),
      onForwarded: () => this.#sawProxy(),
      answered: (method, endpoint, status, ms) => this.#observers.statistics.answered(method, endpoint, status, ms),
      report,
    });
    sessionNodes?.serve(this.#server);
    try {
      this.url = await this.#server.listen();
    } catch (error) {
      await this.#server.close(0);
      this.#server = undefined;
      throw cannotListen(error as NodeJS.ErrnoException, host, port, language);
    }
    this.#forgetAddress = addOwnAddress(this.#server.address);
    const { taken } = await this.#writeRunFile(this.url);
    if (taken) this.#log.warn("another hub uses this data folder; commands will find that one", { url: taken.url });
  }

  /** From now on those who come from loopback may be the proxy's visitors, whatever headers it sends along. */
  #sawProxy(): void {
    if (this.#isBehindProxy) return;
    this.#isBehindProxy = true;
    this.#log.warn("a proxy passes requests on to this hub: from now on a key is needed on this machine too");
  }

  /** Without the file the hub serves all the same; only the commands do not find it. */
  async #writeRunFile(url: string, configRefused?: string): ReturnType<typeof writeRunFile> {
    const { dataDir, configFile } = this.#options.serve;
    const startedUtc = new Date(this.#startedAt).toISOString();
    const configUtc = new Date().toISOString();
    try {
      return await writeRunFile(dataDir, {
        pid: process.pid,
        url,
        token: this.#localToken,
        configFile,
        startedUtc,
        configUtc,
        configRefused,
        database: this.store.address,
      });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      this.#log.warn("hub.json cannot be written, so that commands do not find this hub", { reason: code });
      return { taken: undefined };
    }
  }

  /**
   * A key was revoked at this node or another. Connections are cut a little later, so that whoever revoked its own key gets the
   * answer.
   */
  #keysChanged(): void {
    this.#authenticator.forget();
    // If the database is away, the keys are read when it is back.
    this.#memory?.knownKeys.refresh().catch(() => {});
    this.#deviceHolders.read().catch(() => {});
    setTimeout(() => void this.#server?.recheckKeys(), RECHECK_MS).unref();
  }

  #authenticate(headers: CredentialHeaders, fromLoopback: boolean): Principal | Promise<Principal> {
    const authenticator = this.#authenticator;
    return authenticator.keyless(headers, fromLoopback) ?? authenticator.authenticate(headers, fromLoopback);
  }

  async #openSessionNodes(node: NodeOfCluster): Promise<ClusterSessionNodes> {
    const { ClusterSessionNodes } = await import("./compose/cluster/session-nodes.ts");
    const idleMs = () => doorLimits(this.config).sessionIdleMs;
    // A store that is away is shown in health and log anyway.
    const report = (cause: unknown): string => (cause instanceof ZaguanError ? "" : this.report(cause));
    return new ClusterSessionNodes({ node, sessions: this.store.mcpSessions, idleMs, report });
  }

  #doorContext(sessionNodes: SessionNodes | undefined): DoorContext {
    const houseLive = makeHouseLive({
      documents: this.#memory?.documents ?? this.store.documents,
      clock: systemClock,
      config: () => this.config,
      sources: () => this.#hub.sources(),
      report: (cause) => this.report(cause),
    });
    const shown = {
      houseLive,
      calls: makeCallBoard(this.#hub, this.#observers.journal),
      status: () => this.#status(),
      queue: () => this.#hub.queue(),
      statistics: this.#observers.statistics,
      report: (cause: unknown) => this.report(cause),
    };
    const view = this.#joined?.openView(shown);
    return {
      ...shown,
      gateway: this.#hub,
      servers: this.#hub,
      offers: this.#hub.offers,
      limits: () => doorLimits(this.config),
      storeFault: () => this.store.fault(),
      passing: () => this.#passing,
      cluster: view,
      houseLive: view?.houses ?? houseLive,
      houses: () => housesAmong(this.#hub.sources().filter(({ isElsewhere }) => !isElsewhere)),
      bridgeSessions: this.#bridgeSessions as BridgeSessions,
      shared: this.#sharedByDoors,
      sessionNodes,
      registry: this.registry,
      apis: this.#apis as KeptApis,
      devices: this.#devices,
      xiaozhi: () => this.#voiceClouds.status(),
      onEvent: (listener) => this.#observers.listen(listener),
    };
  }

  #status(): HubStatus {
    const cluster = this.#cluster;
    const nodeOf = cluster && ((source: string) => cluster.holderOf(source));
    return hubStatus({ hub: this.#hub, startedAt: this.#startedAt, server: this.#server, nodeOf });
  }

  #principals(): Principals {
    const { keys } = this.store;
    const endpoints = () => this.config.xiaozhi.endpoints.filter(({ disabled }) => !disabled);
    return { keys, agents: this.registry.agents, endpoints };
  }

  #openDevices(): Devices {
    const servers = (): Registry["servers"] => this.registry.servers;
    const report = (cause: unknown): void => void this.report(cause);
    const devices = new Devices({
      shared: this.#cluster?.devices,
      attach: (name, channel) => this.#sources.setDevice(name, channel),
      detach: (name, isAway) => this.#sources.remove("device", name, isAway),
      enter: async (name, tools) => {
        await servers().mirror(name, "device");
        await servers().keep(name, tools, "device");
        await this.registry.agents.refresh();
      },
      leave: (name) => servers().unmirror(name),
      holders: this.#deviceHolders,
      note: (text, source) => this.#log.warn(text, { source }),
      report,
    });
    this.#cluster?.devices.enter({
      dismiss: (name) => devices.dismiss(name),
      appeared: (name, tools) => void this.#sources.setRemoteDevice(name, tools).catch(report),
      disappeared: (name, isLost, isNamed) => {
        this.#sources.remove("device", name, isNamed).catch(report);
        if (isNamed) this.#deviceHolders.read().catch(report);
        if (isLost && isNamed) servers().unmirror(name).catch(report);
      },
    });
    return devices;
  }

  #openVoiceClouds(): VoiceClouds {
    return new VoiceClouds({
      owners: this.#owners,
      held: this.#cluster?.held,
      ports: {
        shared: this.#sharedByDoors,
        gateway: this.#hub,
        offers: this.#hub.offers,
        documents: this.#memory?.documents ?? this.store.documents,
        log: this.#log,
        clock: systemClock,
        random: systemRandom,
        allowPrivate: this.#options.serve.allowPrivate,
        actingAs: (agent, principal) => this.registry.agents.actingAs(agent, principal),
        report: (cause) => this.report(cause),
        limits: () => {
          const { bodyBytes, graceSeconds } = this.config.limits;
          const graceMs = graceSeconds * 1_000 + LAST_ANSWERS_MS;
          return { ...doorLimits(this.config), messageBytes: bodyBytes, graceMs };
        },
      },
    });
  }

  /** The lease of a voice cloud has come or gone: dials it or hangs up; resolves when what was hung up is closed. */
  async #leaseMoved(key: string): Promise<void> {
    if (!isVoiceCloud(key)) return;
    await this.#inTurn(() => this.#voiceClouds.apply(this.config));
    await this.#voiceClouds.closed();
  }

  /** From the start on, so that a change that comes while sources are being attached is not missed. */
  #watchFile(): void {
    const { serve, env } = this.#options;
    const inTurn = (work: () => Promise<void>): void => void this.#inTurn(work).catch((cause) => this.report(cause));
    const onRefused = (reason: string): void => {
      this.#observers.take({ type: "config-refused", reason });
      inTurn(() => this.#tellConfig(reason));
    };
    const onChange = (config: ZaguanConfig): void =>
      inTurn(async () => {
        await this.#reload(config);
        await this.#tellConfig();
      });
    this.#watch = watchConfig(serve.configFile, env, onChange, onRefused);
  }

  /** Whoever changed the file, as `zaguan add` does, can see what came of it. */
  async #tellConfig(refused?: string): Promise<void> {
    if (this.url !== undefined) await this.#writeRunFile(this.url, refused);
  }

  /** Changes of what is attached never overlap. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastChange.then(work);
    this.#lastChange = turn.catch(() => {});
    return turn;
  }

  async #reload(config: ZaguanConfig): Promise<void> {
    for (const name of changedSettings(this.config.cluster, config.cluster))
      this.#log.warn(`${name} has changed, which counts from the next start on`);
    this.config = config;
    this.#log.level(config.log.level);
    this.#authenticator = this.#makeAuthenticator();
    this.#warnOfOpenTokens(config);
    const changes = await this.#sources.apply(config, () => this.#mirror());
    this.#observers.take({ type: "config-reloaded", ...changes });
    if (this.#options.http) await this.#voiceClouds.apply(config);
  }

  /**
   * If there are other nodes, this one still answers requests for `limits.drainSeconds`, until the balancer has learned from `/health`
   * that it should use the others. Meanwhile it hands over what it holds.
   */
  async #drain(): Promise<void> {
    if (!this.#server || !this.#cluster || this.#cluster.others().length === 0) return;
    this.#server.drain();
    this.#cluster.handOver();
    await sleep(this.config.limits.drainSeconds * 1_000);
  }

  /** Doors first, so that nothing new comes in; then what runs gets its time; then sources; the store last. */
  async #close(): Promise<void> {
    this.#passing = "stopping";
    this.#watch?.close();
    await this.#lastChange;
    await this.#drain();
    const graceMs = this.config.limits.graceSeconds * 1_000;
    // What has not ended by then is ended with an answer, and only then cut.
    const timer = this.#server && setTimeout(() => this.#hub.endCalls(), graceMs);
    if (this.#server) {
      await Promise.all([this.#voiceClouds.close(), this.#server.close(graceMs + LAST_ANSWERS_MS)]);
      this.#forgetAddress();
      await removeRunFile(this.#options.serve.dataDir);
    }
    await this.#devices.close();
    // Calls of other nodes are still served during the handover.
    await this.#cluster?.leave(graceMs + LAST_ANSWERS_MS);
    clearTimeout(timer);
    await this.#hub.close();
    this.#observers.statistics.close();
    await this.#bridgeSessions?.close();
    await this.#cluster?.close();
    await this.store.close();
  }
}

/** How long after a revocation the keys of open connections are checked again. */
const RECHECK_MS = 500;

/** The time for answers of calls that were ended with the grace period. */
const LAST_ANSWERS_MS = 1_000;
