/**
 * Brings sources under the hub: the house and every configured server, at the start and whenever the configuration
 * changes. What a server offered last time is kept, so that listing its tools starts nothing.
 */
import { createHash } from "node:crypto";
import { diffServers } from "../config/diff.ts";
import type { ServerConfig, ServerPolicy, ZaguanConfig } from "../config/types.ts";
import type { ToolDefinition } from "../core/call.ts";
import type { Emit } from "../core/events.ts";
import type { Hub } from "../core/gateway.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { makeHouseKind } from "../sources/house/source.ts";
import { type PreparedSource, prepareServer } from "../sources/index.ts";
import { supervise } from "../sources/supervisor.ts";
import type { DocumentTable } from "../store/store.ts";
import { systemClock, systemRandom } from "./system.ts";

export const HOUSE = "house";
const KNOWN_TOOLS = "tools";

const HOUSE_POLICY: ServerPolicy = {
  trusted: true,
  allowPrivate: false,
  repeatable: [],
  cacheSeconds: {},
  readySeconds: 30,
};

interface KnownTools {
  readonly fingerprint: string;
  readonly tools: readonly ToolDefinition[];
}

export class AttachedSources {
  readonly #hub: Hub;
  readonly #documents: DocumentTable;
  readonly #emit: Emit;
  readonly #allowPrivate: boolean;
  readonly #fingerprints = new Map<string, string>();

  constructor(hub: Hub, documents: DocumentTable, emit: Emit, allowPrivate: boolean) {
    this.#hub = hub;
    this.#documents = documents;
    this.#emit = emit;
    this.#allowPrivate = allowPrivate;
  }

  /** In the order of the file, which decides who keeps a name; the house comes first. */
  async attachAll(config: ZaguanConfig): Promise<void> {
    for (const name of [HOUSE, ...Object.keys(config.mcpServers)]) await this.#attach(name, config);
  }

  async apply(before: ZaguanConfig, after: ZaguanConfig): Promise<void> {
    const { added, removed, changed } = diffServers(before, after);
    await Promise.all(removed.map((name) => this.#hub.detach(name)));
    await Promise.all(changed.map((name) => this.#hub.replace(name, () => this.#attach(name, after))));
    for (const name of added) await this.#attach(name, after);
    this.#emit({ type: "config-reloaded", added, removed, changed });
  }

  /** Keeps what a server offers for the next start; the house is always here and needs no memory. */
  remember(name: string, tools: readonly ToolDefinition[]): void {
    const fingerprint = this.#fingerprints.get(name);
    if (fingerprint === undefined) return;
    const known: KnownTools = { fingerprint, tools };
    // Only a hint for the next start: if it cannot be kept, the server is simply asked again.
    this.#documents.put(KNOWN_TOOLS, name, known).catch(() => {});
  }

  async #attach(name: string, config: ZaguanConfig): Promise<void> {
    if (name === HOUSE) return this.#attachHouse(config);
    const server = config.mcpServers[name];
    if (!server || server.disabled) return;
    const settings = { lineBytes: config.limits.lineBytes, allowPrivate: this.#allowPrivate };
    this.#fingerprints.set(name, fingerprintOf(server));
    this.#supervise(name, prepareServer(server, settings), server.policy, await this.#known(name));
  }

  #attachHouse(config: ZaguanConfig): void {
    const options = config.devices.house;
    if (options === false) return;
    const kind = makeHouseKind(this.#documents);
    this.#supervise(HOUSE, { kind: kind as PreparedSource["kind"], options }, HOUSE_POLICY, undefined);
  }

  #supervise(
    name: string,
    prepared: PreparedSource,
    policy: ServerPolicy,
    known: readonly ToolDefinition[] | undefined,
  ): void {
    const ports = { clock: systemClock, random: systemRandom, emit: this.#emit };
    const { kind, options } = prepared;
    const rules = {
      readyMs: policy.readySeconds * 1_000,
      ...(policy.concurrency === undefined ? {} : { concurrency: policy.concurrency }),
      ...(policy.trusted ? { trusted: true } : {}),
      onToolsChanged: () => this.#hub.refresh(name),
      onNotification: (method: string, params: Payload) => this.#hub.notified(name, method, params),
      onRequest: (method: string, params: Payload) => this.#hub.asked(name, method, params),
    };
    const source = supervise(kind, name, options, rules, ports);
    this.#hub.attach({ source, policy, known, translate: kind.translate?.bind(kind) });
  }

  async #known(name: string): Promise<readonly ToolDefinition[] | undefined> {
    const kept = (await this.#documents.get(KNOWN_TOOLS, name)) as KnownTools | undefined;
    return kept?.fingerprint === this.#fingerprints.get(name) ? kept?.tools : undefined;
  }
}

/** A hash, since the configuration may hold secrets that have no place in the database. */
function fingerprintOf(server: ServerConfig): string {
  return createHash("sha256").update(JSON.stringify(server)).digest("hex");
}
