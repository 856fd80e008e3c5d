/**
 * A whole cluster on this machine: PostgreSQL, NATS of three servers, three hubs as its nodes, each with wires to both that can be
 * cut, a balancer in front, and programs as sources that keep a ledger themselves. Each node would hold two of them.
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
/** For what no working machine needs, however busy. */
const PATIENCE_MS = 60_000;

export interface ClusterView {
  readonly nodes: readonly string[];
  readonly unheld: number;
  readonly sources: readonly { readonly name: string; readonly node: string | null }[];
}

/** The wires of one node. */
interface Wires {
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
  readonly #wires: ReadonlyMap<string, Wires>;
  readonly #hubs = new Map<string, SpawnedZaguan>();
  readonly #env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };

  /** @param limits of the configuration file */
  static async open(limits: object): Promise<ClusterWorld> {
    const [postgres, nats] = await Promise.all([startPostgres(), startNatsCluster(3)]);
    const ports = new Map<string, number>();
    const wires = new Map<string, Wires>();
    for (const name of NODES) {
      ports.set(name, await freePort());
      const [database, ...toNats] = await Promise.all([postgres, ...nats].map(({ port }) => severable(port)));
      wires.set(name, { database: database as Severable, nats: toNats });
    }
    const balancer = await startBalancer(await freePort(), ports);
    const world = new ClusterWorld(postgres, nats, balancer, limits, ports, wires);
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
    wires: ReadonlyMap<string, Wires>,
  ) {
    this.postgres = postgres;
    this.nats = nats;
    this.balancer = balancer;
    this.#limits = limits;
    this.#ports = ports;
    this.#wires = wires;
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
    const wires = this.#wires.get(name) as Wires;
    const database = new URL(this.postgres.url());
    database.port = String(wires.database.port);
    const nats = wires.nats.map(({ port }) => `nats://127.0.0.1:${port}`).join(",");
    const args = ["--port", `${this.#ports.get(name)}`, "--node", name, "--database", database.href, "--nats", nats];
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    this.#hubs.set(name, await spawnZaguan({ config: this.#config(), env: this.#env, folder, args }));
  }

  /** As the system does it to one that took all memory. */
  async kill(name: string): Promise<void> {
    await this.hub(name).kill();
    this.#hubs.delete(name);
  }

  /** SIGTERM; fails unless it ends well and leaves no process behind. */
  async stop(name: string): Promise<void> {
    await this.hub(name).stop();
    this.#hubs.delete(name);
  }

  /** Nothing of this node reaches the engine any more, nor the other way, and nobody hangs up. */
  cut(name: string, ...engines: readonly (keyof Wires)[]): void {
    for (const wire of this.#wiresOf(name, engines)) wire.cut();
  }

  heal(name: string, ...engines: readonly (keyof Wires)[]): void {
    for (const wire of this.#wiresOf(name, engines)) wire.heal();
  }

  async view(name: string): Promise<ClusterView> {
    return (await this.client(name).get("/health/cluster")).body;
  }

  /** What a node holds, as it sees it itself. */
  async heldBy(name: string): Promise<string[]> {
    const { sources } = await this.view(name);
    return sources.flatMap((source) => (source.node === name && this.sources.includes(source.name) ? source.name : []));
  }

  /** Resolves when all nodes see each other and somebody holds each source, and the balancer sends to all. */
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
    for (const { nats, database } of this.#wires.values())
      await Promise.all([...nats, database].map((wire) => wire.close()));
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

  #wiresOf(name: string, engines: readonly (keyof Wires)[]): readonly Severable[] {
    const wires = this.#wires.get(name) as Wires;
    return engines.flatMap((engine) => wires[engine]);
  }
}

/** Names of sources of which each node gets as many, as long as all are there. */
function evenlySpread(): string[] {
  const placement = new Placement(NODES.map((node) => ({ node, weight: 1 })));
  const names = Array.from({ length: 100 }, (_, number) => `s${number}`);
  return NODES.flatMap((node) => names.filter((name) => placement.of(name) === node).slice(0, SOURCES_OF_EACH));
}

export async function eventually(what: string, holds: () => Promise<boolean>, limitMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + limitMs;
  // A node that cannot be asked at this moment may be asked later.
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`still not so: ${what}`);
    await pause(50);
  }
}
