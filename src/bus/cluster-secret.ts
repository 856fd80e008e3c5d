/**
 * The secret that all nodes of a cluster share, and the keys that are derived from it (HKDF, RFC 5869). To change it while the
 * cluster runs, two are configured for a while: messages are sealed with the first, and opened with either.
 */
import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { NodeId } from "./bus.ts";
import { BusError } from "./bus-error.ts";

const LEAST_LENGTH = 32;
const LEAST_DIFFERENT = 10;
const MAX_FILE_BYTES = 4_096;
const VERSION = "zaguan bus 1";
const CREDENTIALS = "zaguan credentials 1";
const ADVICE = "at least 32 random characters are needed, such as `openssl rand -base64 32` prints";

/** The first one seals, all of them open. */
export type ClusterSecrets = readonly [ClusterSecret, ...ClusterSecret[]];

interface SecretPlaces {
  /** What ZAGUAN_CLUSTER_SECRET says; empty counts as not set. */
  readonly env: string | undefined;
  /** Read where the environment has none. */
  readonly file: string | undefined;
}

export class ClusterSecret {
  readonly #secret: KeyObject;

  constructor(text: string) {
    this.#secret = createSecretKey(Buffer.from(text, "utf8"));
  }

  /** Tells receivers which of their secrets opens a message, and nothing about the secret. */
  idIn(prefix: string): number {
    return Buffer.from(hkdfSync("sha256", this.#secret, "", `${VERSION} id ${prefix}`, 4)).readUInt32BE();
  }

  /** Another key for each life of a node, so that its counters never meet a key that saw them before. */
  keyOf(prefix: string, node: NodeId, boot: string): KeyObject {
    const salt = Buffer.from(boot, "base64url");
    return createSecretKey(Buffer.from(hkdfSync("sha256", this.#secret, salt, `${VERSION} key ${prefix} ${node}`, 32)));
  }

  /** For credentials in the database that all nodes share, where no other key is given for these. */
  credentialsKey(): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#secret, "", CREDENTIALS, 32));
  }
}

/** Rejects with a BusError that does not repeat what it read. */
export async function readClusterSecrets({ env, file }: SecretPlaces): Promise<ClusterSecrets> {
  if (env !== undefined && env !== "") return parseSecrets(env, "ZAGUAN_CLUSTER_SECRET");
  if (file !== undefined && file !== "") return parseSecrets(await readPrivate(file), basename(file));
  throw new BusError("secret", `A cluster needs a secret in ZAGUAN_CLUSTER_SECRET or in a file: ${ADVICE}`);
}

/** One secret a line, or with a comma between two. */
export function parseSecrets(text: string, from: string): ClusterSecrets {
  const [first, ...others] = text.split(/[\n,]/).flatMap((part) => part.trim() || []);
  if (first === undefined) throw new BusError("secret", `${from} holds no secret: ${ADVICE}`);
  if (others.length > 1) {
    const count = others.length + 1;
    throw new BusError("secret", `${from} holds ${count} secrets: one is enough, and two while it is changed`);
  }
  const make = (secret: string): ClusterSecret => {
    refuseWeak(secret, from);
    return new ClusterSecret(secret);
  };
  return [make(first), ...others.map(make)];
}

function refuseWeak(secret: string, from: string): void {
  const weakness = weaknessOf(secret);
  if (weakness !== undefined) throw new BusError("secret", `The secret in ${from} ${weakness}: ${ADVICE}`);
}

function weaknessOf(secret: string): string | undefined {
  if (secret.length < LEAST_LENGTH) return `is too short (${secret.length} characters)`;
  if (new Set(secret).size < LEAST_DIFFERENT) return "has too few different characters";
  if (isRepetition(secret)) return "repeats itself";
  if (isSequence(secret)) return "is a sequence";
  return undefined;
}

/** The text is a shorter one, again and again: found at its second place in the text written twice. */
function isRepetition(text: string): boolean {
  return (text + text).indexOf(text, 1) <= text.length / 2;
}

/** Most characters follow the one before, as in "abcdef" or "987654". */
function isSequence(text: string): boolean {
  const steps = Array.from(text.slice(1), (_, index) => text.charCodeAt(index + 1) - text.charCodeAt(index));
  return steps.filter((step) => Math.abs(step) <= 1).length > text.length / 2;
}

/** The rights are read from the open file, so that it cannot be exchanged between the check and the reading. */
async function readPrivate(path: string): Promise<string> {
  const name = basename(path);
  const handle = await open(path, "r").catch((cause: unknown) => {
    throw new BusError("file", `The file of the cluster secret, ${name}, cannot be read`, cause);
  });
  try {
    const { mode, size } = await handle.stat();
    // Windows has no such bits: there the folder of the user protects the file.
    if (process.platform !== "win32" && (mode & 0o077) !== 0) throw tooOpen(name);
    if (size > MAX_FILE_BYTES) throw new BusError("secret", `${name} is too large for a secret: ${ADVICE}`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function tooOpen(name: string): BusError {
  return new BusError("file", `Others than its owner may read the cluster secret: run "chmod 600 ${name}"`);
}
