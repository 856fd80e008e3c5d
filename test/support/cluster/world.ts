/**
 * A cluster on this machine for tests with faults: PostgreSQL, three NATS servers, three hubs as nodes whose connections to both can
 * be cut, a balancer, and programs as sources that write ledgers. By placement each node holds two of the sources.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Placement } from "../../../src/cluster/placement.ts";
import { freePort } from "../mqtt/mosquitto.ts";
import { type NatsProcess, startNatsCluster } from "../nats.ts";
import { type Postgres, startPostgres } from "../postgres.ts";
import { isRunning } from "../processes.ts";
import { RegistryClient } from "../registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../spawn-zaguan.ts";
import { type Balancer, NODE_HEADER, startBalancer } from "./balancer.ts";
import { pause } from "./clock.ts";
import { LifeLedger } from "./life-ledger.ts";
import { type Severable, severable } from "./severable.ts";

const LIFE_SERVER = fileURLToPath(new URL("./life-server.mjs", import.meta.url));
export const NODES = ["uno", "dos", "tres"] as const;
const SOURCES_OF_EACH = 2;
/** A timeout that even a very busy machine does not need. */
const PATIENCE_MS = 60_000;

export interface ClusterView {
  readonly nodes: readonly string[];
  readonly unheld: number;
  readonly sources: readonly { readonly name: string; readonly node: string | null }[];
}

/** The connections of one node, which can be cut. */
interface Links {
  readonly nats: readonly Severable[];
  readonly database: Severable;
}

export class ClusterWorld {
  readonly postgres: Postgres;
  readonly nats: readonly NatsProcess[];
  readonly balancer: Balancer;
  readonly sources: readonly string[] = evenlySpread();
  readonly #folder: string;
  readonly #ledgers: readonly LifeLedger[];
  readonly #limits: object;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #links: ReadonlyMap<string, Links>;
  readonly #hubs = new Map<string, SpawnedZaguan>();
  readonly #env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };

  /** @param limits the section `limits` of the configuration */
  static async open(limits: object): Promise<ClusterWorld> {
    const [postgres, nats] = await Promise.all([startPostgres(), startNatsCluster(3)]);
    const ports = new Map<string, number>();
    const links = new Map<string, Links>();
    for (const name of NODES) {
      ports.set(name, await freePort());
      const [database, ...toNats] = await Promise.all([postgres, ...nats].map(({ port }) => severable(port)));
      links.set(name, { database: database as Severable, nats: toNats });
    }
    const balancer = await startBalancer(await freePort(), ports);
    const world = new ClusterWorld(postgres, nats, balancer, limits, ports, links);
    try {
      await Promise.all(NODES.map((name) => world.start(name)));
      await world.whole();
    } catch (cause) {
      await world.close();
      throw cause;
    }
    return world;
  }

  private constructor(
    postgres: Postgres,
    nats: readonly NatsProcess[],
    balancer: Balancer,
    limits: object,
    ports: ReadonlyMap<string, number>,
    links: ReadonlyMap<string, Links>,
  ) {
    this.postgres = postgres;
    this.nats = nats;
    this.balancer = balancer;
    this.#limits = limits;
    this.#ports = ports;
    this.#links = links;
    this.#folder = mkdtempSync(join(tmpdir(), "zaguan-world-"));
    this.#ledgers = this.sources.map((source) => new LifeLedger(source, this.#ledgerOf(source)));
  }

  hub(name: string): SpawnedZaguan {
    const hub = this.#hubs.get(name);
    if (!hub) throw new Error(`${name} does not run`);
    return hub;
  }

  client(name: string): RegistryClient {
    return new RegistryClient(`http://127.0.0.1:${this.#ports.get(name)}`);
  }

  async start(name: string): Promise<void> {
    const links = this.#links.get(name) as Links;
    const database = new URL(this.postgres.url());
    database.port = String(links.database.port);
    const nats = links.nats.map(({ port }) => `nats://127.0.0.1:${port}`).join(",");
    const args = ["--port", `${this.#ports.get(name)}`, "--node", name, "--database", database.href, "--nats", nats];
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    this.#hubs.set(name, await spawnZaguan({ config: this.#config(), env: this.#env, folder, args }));
  }

  /** Kills a node with SIGKILL. */
  async kill(name: string): Promise<void> {
    await this.hub(name).kill();
    this.#hubs.delete(name);
  }

  /** Stops a node with SIGTERM; fails unless it exits cleanly and leaves no process behind. */
  async stop(name: string): Promise<void> {
    await this.hub(name).stop();
    this.#hubs.delete(name);
  }

  /** Cuts a node off from engines: no data passes in either direction, and no connection is closed. */
  cut(name: string, ...engines: readonly (keyof Links)[]): void {
    for (const link of this.#linksOf(name, engines)) link.cut();
  }

  heal(name: string, ...engines: readonly (keyof Links)[]): void {
    for (const link of this.#linksOf(name, engines)) link.heal();
  }

  async view(name: string): Promise<ClusterView> {
    return (await this.client(name).get("/health/cluster")).body;
  }

  /** The sources that a node holds, in its own view. */
  async heldBy(name: string): Promise<string[]> {
    const { sources } = await this.view(name);
    return sources.flatMap((source) => (source.node === name && this.sources.includes(source.name) ? source.name : []));
  }

  /** Resolves when all nodes see each other, every source has an owner, and the balancer uses all nodes. */
  async whole(): Promise<void> {
    await eventually("all nodes work as one", async () => {
      const views = await Promise.all(NODES.map((name) => this.view(name)));
      return views.every(({ nodes, unheld }) => nodes.length === NODES.length && unheld === 0);
    });
    await eventually("the balancer sends to all", async () => {
      const answerer = async (): Promise<string | null> => {
        const answer = await fetch(`${this.balancer.url}/health`);
        await answer.text();
        return answer.headers.get(NODE_HEADER);
      };
      return new Set(await Promise.all(Array.from({ length: 2 * NODES.length }, answerer))).size === NODES.length;
    });
  }

  ledgers(): readonly LifeLedger[] {
    return this.#ledgers.map((ledger) => ledger.update());
  }

  async close(): Promise<void> {
    for (const name of NODES) this.heal(name, "nats", "database");
    await Promise.all([...this.#hubs.values()].map((hub) => (isRunning(hub.pid) ? hub.kill() : undefined)));
    await this.balancer.stop();
    for (const { nats, database } of this.#links.values())
      await Promise.all([...nats, database].map((link) => link.close()));
    await Promise.all(this.nats.map((server) => server.stop()));
    await this.postgres.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #config(): object {
    const entries = this.sources.map((source) => [
      source,
      { command: process.execPath, args: [LIFE_SERVER, this.#ledgerOf(source)] },
    ]);
    return {
      mcpServers: Object.fromEntries(entries),
      limits: this.#limits,
      auth: { allowedHosts: [`127.0.0.1:${this.balancer.port}`] },
      log: { level: "error" },
    };
  }

  #ledgerOf(source: string): string {
    return join(this.#folder, `${source}.ledger`);
  }

  #linksOf(name: string, engines: readonly (keyof Links)[]): readonly Severable[] {
    const links = this.#links.get(name) as Links;
    return engines.flatMap((engine) => links[engine]);
  }
}

/** Names of sources that the placement spreads evenly over the nodes. */
function evenlySpread(): string[] {
  const placement = new Placement(NODES.map((node) => ({ node, weight: 1 })));
  const names = Array.from({ length: 100 }, (_, number) => `s${number}`);
  return NODES.flatMap((node) => names.filter((name) => placement.of(name) === node).slice(0, SOURCES_OF_EACH));
}

export async function eventually(what: string, holds: () => Promise<boolean>, limitMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + limitMs;
  // A node that does not answer at the moment may answer later.
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`still not so: ${what}`);
    await pause(50);
  }
}
