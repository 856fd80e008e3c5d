/** Three nodes behind a load balancer in the place of one hub, so that any test can be run against a cluster: see `in-cluster.ts`. */
import { randomBytes } from "node:crypto";
import { openBalancer } from "./balancer.ts";
import { until } from "./processes.ts";
import { type SpawnedZaguan, type SpawnOptions, spawnZaguan } from "./spawn-zaguan.ts";

/** The engines that all clusters of one run share. */
export interface ClusterPlace {
  /** `SCHEMA` stands in it for the name of a schema. */
  readonly database: string;
  readonly nats: string;
}

const NAMES = ["uno", "dos", "tres"];

export async function spawnCluster(options: SpawnOptions, place: ClusterPlace): Promise<SpawnedZaguan> {
  const schema = `t${randomBytes(6).toString("hex")}`;
  const env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
    ...options.env,
  };
  const balancer = await openBalancer([]);
  const { auth, ...others } = (options.config ?? {}) as { readonly auth?: object };
  const origins = ["127.0.0.1", "localhost"].map((name) => balancer.url.replace("127.0.0.1", name));
  const config = { ...others, auth: { allowedOrigins: origins, ...auth }, cluster: { prefix: schema } };
  const database = place.database.replace("SCHEMA", schema);
  const start = (name: string): Promise<SpawnedZaguan> => {
    const args = [...(options.args ?? []), "--database", database, "--nats", place.nats, "--node", name];
    return spawnZaguan({ ...options, config, env, args });
  };
  const nodes = await Promise.all(NAMES.map(start));
  await until("all nodes know each other", async () => (await Promise.all(nodes.map(seen))).every(isWhole));
  balancer.servers = nodes.map(({ url }) => url);
  return asOne(nodes, balancer);
}

async function seen({ url }: SpawnedZaguan): Promise<number> {
  const { nodes } = (await (await fetch(`${url}/health/cluster`)).json()) as { readonly nodes: readonly string[] };
  return nodes.length;
}

function isWhole(count: number): boolean {
  return count === NAMES.length;
}

function asOne(nodes: readonly SpawnedZaguan[], balancer: Awaited<ReturnType<typeof openBalancer>>): SpawnedZaguan {
  const [first] = nodes as [SpawnedZaguan];
  const all = async (work: (node: SpawnedZaguan) => Promise<void>): Promise<void> => {
    await Promise.all(nodes.map(work));
    balancer.close();
  };
  return {
    url: balancer.url,
    pid: first.pid,
    folder: first.folder,
    configFile: first.configFile,
    stdout: () => nodes.map((node) => node.stdout()).join(""),
    stderr: () => nodes.map((node) => node.stderr()).join(""),
    writeConfig: (config) => {
      for (const node of nodes) node.writeConfig(config);
    },
    descendants: () => nodes.flatMap((node) => node.descendants()),
    stop: () => all((node) => node.stop()),
    kill: () => all((node) => node.kill()),
  };
}
