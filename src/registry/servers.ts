/**
 * Registered servers: what is said of each, what is kept of its tools, and when it is asked for them. Servers of the
 * configuration file and the built-in house are here too, so that their tools can be linked; only they are changed elsewhere.
 */
import { isDeepStrictEqual } from "node:util";
import type { ServerConfig } from "../config/types.ts";
import type { Discovery, NewServer as ServerInput } from "../contract/server.ts";
import type { Principal, ToolDefinition } from "../core/call.ts";
import type { Clock, Random } from "../core/ports.ts";
import { ZaguanError } from "../errors.ts";
import { maskedAddress, unmasked } from "../security/entry-secrets.ts";
import type { Secrets } from "../security/secrets.ts";
import { slugsFor } from "../server-name.ts";
import {
  Dangling,
  foldCase,
  NameTaken,
  type NewServer,
  type RegistryTables,
  type ServerChange,
  type ServerOrigin,
  type ServerRecord,
  type ToolRecord,
} from "../store/registry.ts";
import { type SealedServer, seal, serverConfigOf, tellable, unseal } from "./connection.ts";
import { type Discovered, definitionOf, discover, foundTool } from "./discovery.ts";
import { named, nameTaken, noSuch, notDiscovered, reasonOf } from "./failures.ts";
import type { Attachments, Prober, RegistryRules } from "./ports.ts";
import { checkServer } from "./rights.ts";

/** One that is not kept here but told of. */
export interface Mirrored {
  readonly origin: Exclude<ServerOrigin, Kept>;
  /** Where it is an MCP server. */
  readonly server?: ServerConfig | undefined;
}

interface ServerRegistryPorts {
  readonly tables: RegistryTables;
  readonly secrets: Secrets;
  readonly attachments: Attachments;
  readonly prober: Prober;
  readonly clock: Clock;
  readonly random: Random;
  rules(): RegistryRules;
  /** Tells of what went wrong where nobody waits for an answer. */
  report(cause: unknown): void;
}

export class ServerRegistry {
  readonly #ports: ServerRegistryPorts;
  /** Discoveries under way, by the server's id: who asks meanwhile waits for the same one. */
  readonly #discovering = new Map<string, Promise<Discovered>>();
  /** Of those that have another name for people: what stands in addresses for it. */
  readonly #slugs = new Map<string, string>();

  constructor(ports: ServerRegistryPorts) {
    this.#ports = ports;
  }

  /** Brings every registered server under the hub. Nothing is started or asked. */
  async attachAll(): Promise<void> {
    const { servers, tools } = this.#ports.tables;
    const byServer = Map.groupBy(await tools.list(), ({ serverId }) => serverId);
    for (const record of await servers.list({ origin: "registered" })) {
      await this.#attach(await this.#sealedWhole(record), byServer.get(record.id) ?? []);
    }
  }

  /** Earlier versions kept addresses and arguments as they were given, or with less of them under seal. */
  async #sealedWhole(record: ServerRecord): Promise<ServerRecord> {
    const { baseUrl, args } = record;
    if (isDeepStrictEqual(tellable(record), { baseUrl, args })) return record;
    try {
      const { secrets, tables } = this.#ports;
      const whole = { baseUrl, args, ...unseal(secrets, record) };
      const sealed = seal(secrets, record.name, whole);
      return (await tables.servers.change(record.id, { ...tellable(whole), sealed })) ?? record;
    } catch (cause) {
      this.#ports.report(cause);
      return record;
    }
  }

  /** By its id, its slug or its name. */
  async find(said: string): Promise<ServerRecord> {
    const { servers } = this.#ports.tables;
    const all = [() => servers.get(said), () => servers.findByName(said), () => servers.findByTitle(said)];
    for (const look of all) {
      const found = await look();
      if (found && !isGone(found)) return found;
    }
    throw noSuch("server", said);
  }

  /** What stands in addresses for a server's name; undefined where no server has that name. */
  slugOf(name: string): string | undefined {
    return this.#slugs.get(foldCase(name));
  }

  async create(input: ServerInput, principal: Principal): Promise<ServerRecord> {
    checkServer(input, principal, this.#ports.rules());
    if (input.baseUrl) await refuseOwnUrl(input.baseUrl);
    const slug = await this.#freeSlug(input.name);
    const server = this.#checked(input, slug, principal);
    await this.freeName(slug);
    const record = await named("server", input.name, () => this.#ports.tables.servers.create(server));
    await this.#attach(record, []);
    this.#ports.attachments.announce();
    return record;
  }

  /** Whether a server could not be made under this name. */
  async isTaken(name: string, except?: string): Promise<boolean> {
    const { servers } = this.#ports.tables;
    const known = [await servers.findByName(name), await servers.findByTitle(name)];
    return known.some((one) => one && one.id !== except && !isGone(one) && foldCase(nameOf(one)) === foldCase(name));
  }

  /** Names are taken once; two that give the same slug get different ones. */
  async #freeSlug(name: string, before?: ServerRecord): Promise<string> {
    if (await this.isTaken(name, before?.id)) throw nameTaken("server", name);
    for (const slug of slugsFor(name)) {
      const known = await this.#ports.tables.servers.findByName(slug);
      if (!known || known.id === before?.id || isGone(known)) return slug;
    }
    throw new TypeError("there is always another number");
  }

  /** One that was taken out of the configuration file gives its name away, and its links with it. */
  async freeName(name: string): Promise<void> {
    const { servers } = this.#ports.tables;
    const known = await servers.findByName(name);
    if (known && isGone(known)) await servers.delete(known.id);
  }

  /** What is absent stays as it is. */
  async change(idOrName: string, input: Partial<ServerInput>, principal: Principal): Promise<ServerRecord> {
    const before = await this.find(idOrName);
    refuseForeign(before);
    const sealed = this.#keptSecrets(before, input);
    const baseUrl = input.baseUrl && unmasked(input.baseUrl, sealed.baseUrl);
    const wanted = { ...sealed, ...openPart(before, input, sealed), ...withoutUndefined({ ...input, baseUrl }) };
    const slug = wanted.name === nameOf(before) ? before.name : await this.#freeSlug(wanted.name, before);
    const server = this.#checked(wanted, slug, principal);
    if (baseUrl) await refuseOwnUrl(baseUrl);
    const change: ServerChange = { ...server, lastError: undefined };
    // Whoever asks from now on means the server as it is now, and what is under way is about another.
    this.#discovering.delete(before.id);
    const after = await named("server", server.name, () => this.#ports.tables.servers.change(before.id, change));
    if (!after) throw noSuch("server", idOrName);
    if (after.name !== before.name) await this.#detach(before.name);
    await this.#attach(after, await this.#ports.tables.tools.list({ serverId: after.id }));
    this.#ports.attachments.announce();
    return after;
  }

  /** A device that is away, too: its name and its links are free then. */
  async remove(idOrName: string): Promise<void> {
    const away = await this.#awayDevice(idOrName);
    const record = away ?? (await this.find(idOrName));
    if (!away) refuseForeign(record);
    // First in the store: while that is away, nothing is taken out of the hub.
    await this.#ports.tables.servers.delete(record.id);
    this.#discovering.delete(record.id);
    await this.#detach(record.name);
    this.#ports.attachments.announce();
  }

  /** Where a whole cluster was stopped, nobody was left to write that its devices went. */
  async #awayDevice(said: string): Promise<ServerRecord | undefined> {
    const { tables, attachments } = this.#ports;
    const known = (await tables.servers.get(said)) ?? (await tables.servers.findByName(said));
    if (known?.origin !== "device") return undefined;
    return isGone(known) || !attachments.has(known.name) ? known : undefined;
  }

  /** Asks the server for its tools, now. Rejects if that fails; what was tried is in the log either way. */
  async discover(idOrName: string): Promise<readonly ToolRecord[]> {
    const record = await this.find(idOrName);
    const { error } = await (this.#discovering.get(record.id) ?? this.#begin(record));
    if (error) throw error;
    return this.#ports.tables.tools.list({ serverId: record.id });
  }

  /** Ends its connection or its process and begins anew, wherever the server comes from. */
  async restart(idOrName: string): Promise<void> {
    await this.#ports.attachments.restart((await this.find(idOrName)).name);
  }

  /** The newest first. */
  async log(idOrName: string): Promise<readonly Discovery[]> {
    return this.#ports.tables.servers.readLog((await this.find(idOrName)).id);
  }

  /** The hub has learned what a source offers. Nobody waits for this. */
  listed(name: string, tools: readonly ToolDefinition[], origin: ServerOrigin): void {
    this.keep(name, tools, origin).catch((cause) => this.#ports.report(cause));
  }

  /** A server that is not registered but configured or built in: here it is only told of. */
  async mirror(name: string, origin: Mirrored["origin"], server?: ServerConfig): Promise<void> {
    const { servers } = this.#ports.tables;
    const known = await this.#sameAs(name, server?.title);
    // A device may call itself as one that stands in the file; that stays the file's.
    if (origin === "device" && known && known.origin !== origin && known.status !== "disabled") return;
    // The file has the last word on a name; what is kept here under it waits until the name is free.
    if (known && isKept(known)) return;
    const { title, description } = server ?? {};
    const open = { title, description, baseUrl: server?.url && maskedAddress(server.url), command: server?.command };
    const change: NewServer = {
      name,
      origin,
      ...open,
      authType: "none",
      allowPrivate: server?.policy.allowPrivate ?? false,
    };
    const record = known
      ? isSame(known, change) && known.status !== "disabled"
        ? known
        : await servers.change(known.id, { name, origin, ...open, sealed: undefined, status: "active" })
      : await servers.create(change).catch((cause) => {
          // Another hub on the same data folder was quicker.
          if (cause instanceof NameTaken) return servers.findByName(name);
          throw cause;
        });
    if (!record) return;
    this.#know(record);
  }

  /** In the file, another name is another server, though both give the same slug: what the one had is not the other's. */
  async #sameAs(name: string, title: string | undefined): Promise<ServerRecord | undefined> {
    const { servers } = this.#ports.tables;
    const known = await servers.findByName(name);
    if (!known || isKept(known) || known.title === title) return known;
    await servers.delete(known.id);
    return undefined;
  }

  /**
   * Tells of all that are configured or built in; the others of that kind are gone.
   * @param sharesDevices those of other nodes stay: each of these tells when one has left
   */
  async mirrorOnly(all: ReadonlyMap<string, Mirrored>, sharesDevices = false): Promise<void> {
    for (const server of await this.#ports.tables.servers.list()) {
      const isOthers = sharesDevices && server.origin === "device";
      if (!isKept(server) && !isOthers && !all.has(server.name)) await this.unmirror(server.name);
    }
    for (const [name, { origin, server }] of all) await this.mirror(name, origin, server);
  }

  /** It is no longer configured. Its tools keep their ids and links, in case it comes back. */
  async unmirror(name: string): Promise<void> {
    const { servers, tools } = this.#ports.tables;
    const known = await servers.findByName(name);
    if (!known || isKept(known)) return;
    this.#forgetTitle(name);
    await tools.sync(known.id, []);
    await servers.change(known.id, { status: "disabled" });
  }

  /** Secrets stay with the place they were given for: at another address they would be somebody else's. */
  #keptSecrets(before: ServerRecord, input: Partial<ServerInput>): SealedServer {
    const { credentials, headers, env } = input;
    if (!isSamePlace(before, input)) return {};
    try {
      return unseal(this.#ports.secrets, before);
    } catch (cause) {
      // Whoever brings new ones need not be able to read the old.
      if (credentials !== undefined || headers !== undefined || env !== undefined) return {};
      throw cause;
    }
  }

  #checked(input: ServerInput, slug: string, principal: Principal): NewServer {
    const { name, description, baseUrl, command, args, authType, credentials, headers, env } = input;
    const allowPrivate = checkServer(input, principal, this.#ports.rules());
    const sealed = seal(this.#ports.secrets, slug, { credentials, headers, env, baseUrl, args });
    const title = name === slug ? undefined : name;
    return {
      name: slug,
      title,
      description,
      origin: "registered",
      ...tellable({ baseUrl, args }),
      command,
      authType,
      sealed,
      allowPrivate,
    };
  }

  #begin(record: ServerRecord): Promise<Discovered> {
    const isCurrent = (): boolean => this.#discovering.get(record.id) === running;
    const running: Promise<Discovered> = this.#discover(record, isCurrent)
      .catch((cause) => {
        // It was removed meanwhile.
        throw cause instanceof Dangling ? noSuch("server", record.name) : cause;
      })
      .finally(() => isCurrent() && this.#discovering.delete(record.id));
    this.#discovering.set(record.id, running);
    return running;
  }

  /** What was found of a server that has changed since is not kept. */
  async #discover(record: ServerRecord, isCurrent: () => boolean): Promise<Discovered> {
    const { tables, attachments } = this.#ports;
    const startedUtc = new Date().toISOString();
    const isOurs = record.origin === "registered";
    const server = isOurs ? serverConfigOf(record, unseal(this.#ports.secrets, record)) : undefined;
    const told = await discover(this.#ports, record.name, server, this.#ports.rules().discoveryMs);
    if (!isCurrent()) return { ...told, error: await this.#changedMeanwhile(record) };
    const { ms, steps, found, error } = told;
    const reason = error && reasonOf(error);
    await tables.servers.log(record.id, {
      startedUtc,
      ms,
      ok: !error,
      tools: found?.tools.length,
      error: reason,
      steps,
    });
    if (!found) {
      await tables.servers.change(record.id, { status: "error", lastError: reason });
      return { ...told, error: notDiscovered({ ...record, name: nameOf(record) }, reason ?? "", told) };
    }
    await tables.tools.sync(record.id, found.tools.map(foundTool));
    const seen = { status: "active", transport: found.transport, lastSeenUtc: new Date().toISOString() } as const;
    await tables.servers.change(record.id, { ...seen, lastError: undefined });
    await attachments.learned(record.name, found.tools);
    return told;
  }

  async #changedMeanwhile({ id, name }: ServerRecord): Promise<ZaguanError> {
    return (await this.#ports.tables.servers.get(id)) ? changedMeanwhile(name) : noSuch("server", name);
  }

  /** The same, for whoever does wait. Tools of another origin than the row's belong to one who has its name for now. */
  async keep(name: string, tools: readonly ToolDefinition[], origin: ServerOrigin): Promise<void> {
    const known = await this.#ports.tables.servers.findByName(name);
    if (known?.origin !== origin) return;
    const { id } = known;
    await this.#ports.tables.tools.sync(id, tools.map(foundTool));
    await this.#ports.tables.servers.change(id, {
      status: "active",
      lastSeenUtc: new Date().toISOString(),
      lastError: undefined,
    });
  }

  #know({ name, title }: ServerRecord): void {
    this.#forgetTitle(name);
    if (title !== undefined) this.#slugs.set(foldCase(title), name);
  }

  #forgetTitle(slug: string): void {
    for (const [title, known] of this.#slugs) if (known === slug) this.#slugs.delete(title);
  }

  async #attach(record: ServerRecord, tools: readonly ToolRecord[]): Promise<void> {
    this.#know(record);
    const fit = tools.filter(({ quarantine }) => quarantine === undefined).map(definitionOf);
    try {
      const server = serverConfigOf(record, unseal(this.#ports.secrets, record));
      await this.#ports.attachments.attach(record.name, server, fit);
    } catch (cause) {
      // One that cannot be opened (its secrets were sealed with another key) must not keep the others from coming up.
      await this.#ports.tables.servers.change(record.id, { status: "error", lastError: reasonOf(cause) });
      this.#ports.report(cause);
    }
  }

  async #detach(name: string): Promise<void> {
    this.#forgetTitle(name);
    await this.#ports.attachments.detach(name);
  }
}

/** What stays as it is: of an address and a command, one takes the place of the other. */
function openPart(before: ServerRecord, input: Partial<ServerInput>, sealed: SealedServer): ServerInput {
  const { description, command, authType } = before;
  const { baseUrl = before.baseUrl, args = before.args } = sealed;
  const kept = { name: nameOf(before), description, authType };
  const isMoved = (input.baseUrl ?? input.command) !== undefined;
  return isMoved ? { ...kept, baseUrl: undefined, args: undefined } : { ...kept, baseUrl, command, args };
}

/** For people. */
function nameOf({ name, title }: ServerRecord): string {
  return title ?? name;
}

function withoutUndefined(input: Partial<ServerInput>): Partial<ServerInput> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

type Kept = "registered" | "api";

/** It lives here until somebody removes it, and not as long as a file says so. */
function isKept({ origin }: ServerRecord): boolean {
  return origin === "registered" || origin === "api";
}

/** A configured server that was taken out of the file is kept for the sake of its links, and shown to nobody. */
function isGone(server: ServerRecord): boolean {
  return !isKept(server) && server.status === "disabled";
}

/** The way out over HTTP is loaded with the first address that somebody registers. */
async function refuseOwnUrl(url: string): Promise<void> {
  await (await import("../security/outbound.ts")).refuseOwnUrl(url);
}

function isSame(known: ServerRecord, wanted: NewServer): boolean {
  const shown = ["origin", "baseUrl", "command", "description"] as const;
  return shown.every((key) => known[key] === wanted[key]);
}

/** The same program, or an address of the same origin. */
function isSamePlace(before: ServerRecord, { baseUrl, command }: Partial<ServerInput>): boolean {
  if (command !== undefined) return command === before.command;
  if (baseUrl === undefined) return true;
  return before.baseUrl !== undefined && new URL(baseUrl).origin === new URL(before.baseUrl).origin;
}

function changedMeanwhile(source: string): ZaguanError {
  const params = { source, reason: "it was changed meanwhile" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "unknown" });
}

function refuseForeign({ origin, name }: ServerRecord): void {
  if (origin === "registered") return;
  throw new ZaguanError("CONFIGURED", { params: { name } });
}
