/** A cluster for measurements: PostgreSQL, NATS and hubs as its nodes, each a process on this machine. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { freePort } from "../../test/support/mqtt/mosquitto.ts";
import { type NatsProcess, startNats } from "../../test/support/nats.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres.ts";
import { type SpawnedZaguan, spawnZaguan } from "../../test/support/spawn-zaguan.ts";

interface Memory {
  readonly rss: number;
  /** Memory held by JavaScript: the heap and external memory. */
  readonly held: number;
}

/** Settings of a durable server; only its size is small. */
const POSTGRES = ["fsync=on", "shared_buffers=256MB", "max_connections=200"];
const PROBE = fileURLToPath(new URL("../../bench/programs/memory-probe.mjs", import.meta.url));
const PROBED = /memory-probe (\{.*\})\n/g;
const PROBE_LIMIT_MS = 30_000;

export class ClusterWorld {
  readonly postgres: Postgres;
  readonly nats: NatsProcess;
  /** The URL of NATS's monitoring endpoint. */
  readonly monitor: string;
  readonly nodes: SpawnedZaguan[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "zaguan-measure-"));
  readonly #profiles: string | undefined;
  readonly #secrets = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };

  private constructor(postgres: Postgres, nats: NatsProcess, monitor: string, profiles: string | undefined) {
    this.postgres = postgres;
    this.nats = nats;
    this.monitor = monitor;
    this.#profiles = profiles;
  }

  /** @param profiles the folder for a CPU profile of each node, if wanted */
  static async open(profiles: string | undefined): Promise<ClusterWorld> {
    const port = await freePort();
    const postgres = await startPostgres({ settings: POSTGRES });
    const nats = await startNats({ lines: [`http: "127.0.0.1:${port}"`] });
    return new ClusterWorld(postgres, nats, `http://127.0.0.1:${port}`, profiles);
  }

  /** Starts nodes at the same time; `nodes` has them in this order. */
  async startAll(names: readonly string[], schema: string, config: object): Promise<void> {
    const started = await Promise.all(names.map((name) => this.start(name, schema, config)));
    this.nodes.splice(0, this.nodes.length, ...started);
  }

  /** Starts a node; resolves when it listens. */
  async start(node: string, schema: string, config: object = {}): Promise<SpawnedZaguan> {
    const args = ["--database", this.postgres.url(schema), "--nats", this.nats.url, "--node", node];
    const profile = this.#profiles === undefined ? "" : ` --cpu-prof --cpu-prof-dir=${this.#profiles}`;
    const env = {
      ...this.#secrets,
      NODE_OPTIONS: `--expose-gc --import=${pathToFileURL(PROBE)}${profile}`,
    };
    const quiet = { log: { level: "error" }, devices: { house: false }, ...config };
    const folder = join(this.#folder, `${schema}-${node}`);
    mkdirSync(folder, { recursive: true });
    const hub = await spawnZaguan({ config: quiet, args, env, folder });
    this.nodes.push(hub);
    return hub;
  }

  /** The name of the node that holds the source; waits until one does. */
  async holderOf(source: string): Promise<string> {
    for (;;) {
      const answer = await fetch(`${this.nodes[0]?.url}/health/cluster`);
      const { sources } = (await answer.json()) as { sources: readonly { name: string; node: string | null }[] };
      const node = sources.find(({ name }) => name === source)?.node;
      if (node) return node;
      await sleep(50);
    }
  }

  /** Committed and rolled back transactions, as far as PostgreSQL has updated its statistics. */
  transactions(): number {
    const counted = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'";
    return Number(this.postgres.sql(counted));
  }

  async stopNode(hub: SpawnedZaguan): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(hub), 1);
    await hub.stop();
  }

  async stopNodes(): Promise<void> {
    for (const hub of [...this.nodes]) await this.stopNode(hub);
  }

  async close(): Promise<void> {
    await this.stopNodes();
    await this.nats.stop();
    await this.postgres.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The memory of a node after a garbage collection. */
export async function memoryOf(hub: SpawnedZaguan): Promise<Memory> {
  const answers = (): string[] => hub.stderr().match(PROBED) ?? [];
  const before = answers().length;
  process.kill(hub.pid, "SIGUSR2");
  for (const limit = performance.now() + PROBE_LIMIT_MS; performance.now() < limit; await sleep(20)) {
    const told = answers()[before];
    if (told === undefined) continue;
    const { rss, heapUsed, external } = JSON.parse(told.slice("memory-probe ".length));
    return { rss, held: heapUsed + external };
  }
  throw new Error("a node did not tell how much memory it has");
}
