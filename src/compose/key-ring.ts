/** The keys with which stored credentials are sealed, from wherever they are configured. */
import { join } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import type { Environment } from "../config/load.ts";
import { type Language, say } from "../messages/catalogue.ts";
import { detailIn } from "../messages/detail.ts";
import { type KeyRing, openSecrets } from "../security/secrets.ts";

interface KeyPlaces {
  readonly env: Environment;
  readonly dataDir: string;
  /** The file with the secret of the cluster, where one is configured. */
  readonly secretFile: string | undefined;
  /** Whether the store is a database that other hubs use, too: then they need the same keys. */
  readonly isShared: boolean;
}

/** Rejects with an Error that says what is wrong with a key, and repeats none. */
export async function openKeyRing(places: KeyPlaces): Promise<KeyRing> {
  const env = places.env["ZAGUAN_SECRET_KEY"];
  return openSecrets({ env, derived: await derivedKeys(places), file: join(places.dataDir, "secret.key") });
}

export function cannotOpenKeys(cause: unknown, language: Language): ConfigError {
  const reason = detailIn(language, cause instanceof Error ? cause.message : String(cause));
  return new ConfigError(say(language, "start.secrets", { reason }), cause);
}

/** Nodes share a secret already, and need no second one for credentials. */
async function derivedKeys({ env, secretFile: file, isShared }: KeyPlaces): Promise<readonly Buffer[]> {
  const secret = env["ZAGUAN_CLUSTER_SECRET"];
  if (!isShared || !(secret || file)) return [];
  const { readClusterSecrets } = await import("../bus/cluster-secret.ts");
  return (await readClusterSecrets({ env: secret, file })).map((one) => one.credentialsKey());
}
