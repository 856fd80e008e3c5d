/**
 * The settings with which a hub becomes a node of a cluster, checked before anything is opened. The bus is loaded only if NATS is
 * configured, so that a hub that runs alone does not pay for it.
 */
import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { NatsSettings } from "../../bus/dial.ts";
import type { BusOptions } from "../../bus/nats-bus.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { Environment } from "../../config/load.ts";
import type { ClusterConfig, ServeOptions, ZaguanConfig } from "../../config/types.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { detailIn } from "../../messages/detail.ts";

export interface ClusterSettings {
  readonly node: string;
  /** The options of `openBus`, without its fault handler. */
  readonly bus: BusOptions;
}

const NODE_LENGTH = 32;

/** Undefined if no NATS is configured. Rejects with a ConfigError whose message is one clear line. */
export async function clusterSettings(
  serve: ServeOptions,
  { cluster }: ZaguanConfig,
  env: Environment,
): Promise<ClusterSettings | undefined> {
  const servers = serve.nats ?? cluster.nats;
  if (servers === undefined) return undefined;
  if ((serve.database ?? cluster.database) === undefined)
    throw new ConfigError(say(serve.language, "start.clusterDatabase"));
  const node = serve.node ?? cluster.node ?? nodeNameOf(hostname());
  const nats = natsSettings(servers, cluster);
  return { node, bus: await busOptions({ node, nats, cluster, env }, serve.language) };
}

/**
 * The names of the settings that differ, as `cluster.nats`; they take effect at the next start. Only names, because values may be
 * secrets.
 */
export function changedSettings(before: ClusterConfig, after: ClusterConfig): readonly string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof ClusterConfig)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name])).map((name) => `cluster.${name}`);
}

/** A valid node name made of a host name: in lower case, with "-" for each character that is not allowed. */
export function nodeNameOf(host: string): string {
  const valid = host
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, "-")
    .replace(/^[_-]+/, "");
  return valid.slice(0, NODE_LENGTH).replace(/[_-]+$/, "") || "node";
}

function natsSettings(servers: string, { natsCredsFile, natsNkeyFile, natsTls }: ClusterConfig): NatsSettings {
  return { servers, credsFile: natsCredsFile, nkeyFile: natsNkeyFile, tls: natsTls };
}

interface BusInputs {
  readonly node: string;
  readonly nats: NatsSettings;
  readonly cluster: ClusterConfig;
  readonly env: Environment;
}

async function busOptions({ node, nats, cluster, env }: BusInputs, language: Language): Promise<BusOptions> {
  const { prefix, secretFile: file } = cluster;
  const [{ Subjects }, { parseAddresses }, { readClusterSecrets }] = await Promise.all([
    import("../../bus/names.ts"),
    import("../../bus/address.ts"),
    import("../../bus/cluster-secret.ts"),
  ]);
  try {
    // Only to validate them: both throw on bad input. The bus creates its own when it is opened.
    new Subjects(prefix, node);
    parseAddresses(nats.servers);
    return { node, nats, prefix, secrets: await readClusterSecrets({ env: env["ZAGUAN_CLUSTER_SECRET"], file }) };
  } catch (error) {
    throw new ConfigError(detailIn(language, error instanceof Error ? error.message : String(error)), error);
  }
}
