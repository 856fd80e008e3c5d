/**
 * Agents and what each is linked to. An agent is a principal like any other: wherever it calls from, it sees and uses its
 * linked tools and nothing else.
 */
import type { NewAgent } from "../contract/agent.ts";
import { accountOf, isLimited } from "../core/access.ts";
import type { Principal } from "../core/call.ts";
import type { Link, LinkedTool, Links } from "../core/links.ts";
import { mintKey } from "../security/api-keys.ts";
import {
  type AgentRecord,
  type BindingRecord,
  type BoundTool,
  Dangling,
  type NewBinding,
  type RegistryTables,
} from "../store/registry.ts";
import type { KeyTable } from "../store/store.ts";
import { definitionOf } from "./discovery.ts";
import { named, noSuch } from "./failures.ts";

interface AgentsPorts {
  readonly tables: RegistryTables;
  /** The same for what is only shown. */
  readonly shown: RegistryTables;
  readonly keys: KeyTable;
  /** Tells clients that what they may use has changed. */
  announce(): void;
  /** What is remembered of keys is no longer true. */
  forgetKeys(): void;
}

type BindingInput = Omit<NewBinding, "agentId">;

export class Agents {
  readonly #ports: AgentsPorts;
  /** One for each agent that has called, so that a change of its links reaches its open sessions. */
  readonly #links = new Map<string, LiveLinks>();
  /** Keys that were revoked while somebody may still be connected with them. */
  readonly #revoked = new Set<string>();
  #lastRefresh: Promise<void> = Promise.resolve();
  #nextRefresh: Promise<void> | undefined;

  constructor(ports: AgentsPorts) {
    this.#ports = ports;
  }

  async find(idOrName: string): Promise<AgentRecord> {
    const { agents } = this.#ports.tables;
    const found = (await agents.get(idOrName)) ?? (await agents.findByName(idOrName));
    if (!found) throw noSuch("agent", idOrName);
    return found;
  }

  async create(agent: NewAgent): Promise<AgentRecord> {
    return await named("agent", agent.name, () => this.#ports.tables.agents.create(agent));
  }

  async change(idOrName: string, change: Partial<NewAgent>): Promise<AgentRecord> {
    const { id } = await this.find(idOrName);
    const name = change.name ?? "";
    const changed = await named("agent", name, () => this.#ports.tables.agents.change(id, change));
    if (!changed) throw noSuch("agent", idOrName);
    return changed;
  }

  async remove(idOrName: string): Promise<void> {
    const { id } = await this.find(idOrName);
    await this.#ports.tables.agents.delete(id);
    this.#ports.forgetKeys();
    await this.#changed(id);
    this.#links.delete(id);
  }

  async bind(idOrName: string, input: BindingInput): Promise<BindingRecord> {
    const agent = await this.find(idOrName);
    try {
      const create = () => this.#ports.tables.bindings.create({ ...input, agentId: agent.id });
      const binding = await named("binding", input.toolId, create);
      await this.#changed(agent.id);
      return binding;
    } catch (cause) {
      if (cause instanceof Dangling) throw noSuch("tool", input.toolId);
      throw cause;
    }
  }

  async bindings(idOrName: string): Promise<readonly BoundTool[]> {
    return this.#ports.shown.bindings.listOf((await this.find(idOrName)).id);
  }

  async rebind(
    idOrName: string,
    bindingId: string,
    change: Partial<Pick<BindingInput, "config" | "enabled">>,
  ): Promise<BindingRecord> {
    const binding = await this.#bindingOf(idOrName, bindingId);
    const changed = await this.#ports.tables.bindings.change(binding.id, change);
    if (!changed) throw noSuch("binding", bindingId);
    await this.#changed(binding.agentId);
    return changed;
  }

  async unbind(idOrName: string, bindingId: string): Promise<void> {
    const { id, agentId } = await this.#bindingOf(idOrName, bindingId);
    await this.#ports.tables.bindings.delete(id);
    await this.#changed(agentId);
  }

  /** A new key in the place of the agent's old one; shown once. */
  async mintKey(idOrName: string): Promise<{ readonly key: string; readonly hint: string }> {
    const agent = await this.find(idOrName);
    await this.#revoke(agent.id);
    const { key, hash, hint } = mintKey();
    await this.#ports.keys.create({ name: `agent ${agent.name} ${hint}`, hash, hint, agentId: agent.id });
    return { key, hint };
  }

  /** Tells whether there was one. */
  async revokeKey(idOrName: string): Promise<boolean> {
    return this.#revoke((await this.find(idOrName)).id);
  }

  /**
   * The agent as one who calls; undefined if there is no such agent. Whoever came with a key may do nothing once that is
   * revoked, though its connection may still be open.
   */
  async principal(id: string, keyId?: string): Promise<Principal | undefined> {
    const agent = await this.#ports.tables.agents.get(id);
    if (!agent) return undefined;
    const live = await this.#liveLinks(id);
    const isRevoked = (): boolean => keyId !== undefined && this.#revoked.has(keyId);
    const links: Links = {
      find: (source, tool) => (isRevoked() ? undefined : live.find(source, tool)),
      all: () => (isRevoked() ? [] : live.all()),
    };
    const credential = keyId === undefined ? undefined : `key:${keyId}`;
    return { id: `agent:${id}`, kind: "agent", name: agent.name, credential, links: credential ? links : live };
  }

  async #liveLinks(id: string): Promise<LiveLinks> {
    const links = this.#links.get(id) ?? this.#beginLinks(id);
    await links.loaded;
    return links;
  }

  /** Who may do everything may look through any agent's eyes, and each agent through its own. */
  async actingAs(name: string, principal: Principal): Promise<Principal> {
    const agent = await this.find(name).catch(() => undefined);
    if (agent && principal.id === `agent:${agent.id}`) return principal;
    const acting = agent && !isLimited(principal) ? await this.principal(agent.id) : undefined;
    // Others are not told that it exists.
    if (!acting) throw noSuch("agent", name);
    return { ...acting, credential: principal.credential ?? principal.id, account: accountOf(principal) };
  }

  /** Reads what each agent is linked to, so that this is known while the store is away. */
  async readAll(): Promise<void> {
    for (const { id, name } of await this.#ports.tables.agents.list()) {
      await this.find(name);
      await this.principal(id);
    }
  }

  /** Tools came, went or changed their names: links lead where they led. Who asks while they are read waits for the next time. */
  refresh(): Promise<void> {
    this.#nextRefresh ??= this.#lastRefresh.then(() => {
      this.#nextRefresh = undefined;
      const running = this.#refreshAll();
      this.#lastRefresh = running.catch(() => {});
      return running;
    });
    return this.#nextRefresh;
  }

  async #refreshAll(): Promise<void> {
    for (const [id, links] of this.#links) await this.#load(id, links);
  }

  async #bindingOf(idOrName: string, bindingId: string): Promise<BindingRecord> {
    const agent = await this.find(idOrName);
    const binding = await this.#ports.tables.bindings.get(bindingId);
    if (binding?.agentId !== agent.id) throw noSuch("binding", bindingId);
    return binding;
  }

  async #revoke(agentId: string): Promise<boolean> {
    const keys = await this.#ports.keys.list({ agentId });
    const active = keys.filter(({ revokedUtc }) => revokedUtc === undefined);
    for (const { id } of active) {
      await this.#ports.keys.revoke(id);
      this.#revoked.add(id);
    }
    this.#ports.forgetKeys();
    return active.length > 0;
  }

  /** Whoever comes while they are read waits for them: to an agent without links no tool exists. */
  #beginLinks(agentId: string): LiveLinks {
    const links = new LiveLinks();
    this.#links.set(agentId, links);
    links.loaded = this.#load(agentId, links).catch((cause) => {
      this.#links.delete(agentId);
      throw cause;
    });
    return links;
  }

  async #changed(agentId: string): Promise<void> {
    const links = this.#links.get(agentId);
    if (links) await this.#load(agentId, links);
    this.#ports.announce();
  }

  async #load(agentId: string, links: LiveLinks): Promise<void> {
    const bound = await this.#ports.tables.bindings.listOf(agentId);
    links.replace(bound.filter(({ enabled }) => enabled));
  }
}

/** What an agent is linked to now. */
class LiveLinks implements Links {
  /** Resolves when they were read for the first time. */
  loaded: Promise<void> = Promise.resolve();
  #byTool: ReadonlyMap<string, Link> = new Map();
  #all: readonly LinkedTool[] = [];

  find(source: string, tool: string): Link | undefined {
    return this.#byTool.get(`${source}__${tool}`);
  }

  all(): readonly LinkedTool[] {
    return this.#all;
  }

  replace(bound: readonly BoundTool[]): void {
    this.#all = bound.filter(mayComeBack).map(({ tool }) => ({ source: tool.serverName, tool: definitionOf(tool) }));
    this.#byTool = new Map(bound.map(({ tool, config }) => [`${tool.serverName}__${tool.name}`, config ?? {}]));
  }
}

/** A server that is there and does not list a tool has taken it away; a device takes all of its tools along. */
function mayComeBack({ tool, serverOrigin }: BoundTool): boolean {
  return tool.quarantine === undefined && (!tool.missing || serverOrigin === "device");
}
