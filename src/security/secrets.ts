/**
 * Credentials at rest: AES-256-GCM under a key that comes from the environment, from the secret of a cluster, or from a file that
 * only its owner may read. While the key is changed there are several: the first seals, all of them open. What a value belongs to
 * is sealed with it, so that it cannot be moved to another record and opened there.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomUUID,
} from "node:crypto";
import { type FileHandle, link, mkdir, open, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";

export interface Secrets {
  /** Any JSON value; `context` names what it belongs to, such as "server:<id>". */
  seal(value: unknown, context: string): string;
  /** Throws a TypeError if it was sealed with another key or for another context, or was changed since. */
  open(sealed: string, context: string): unknown;
}

export interface KeyRing extends Secrets {
  /** The same value under the first key; the very text that was given if it is so already. Throws as `open` does. */
  reseal(sealed: string, context: string): string;
}

interface SecretsOptions {
  /**
   * What ZAGUAN_SECRET_KEY says: 32 bytes as base64 or hexadecimal digits, or several of these with commas or lines between
   * them. Empty counts as not set.
   */
  readonly env: string | undefined;
  /** Keys that nodes have in common, taken where the environment has none. @default none */
  readonly derived?: readonly Buffer[] | undefined;
  /** Where the key is kept if there is neither; made if it is not there. What it sealed opens beside derived keys, too. */
  readonly file: string;
}

type Keys = readonly [Buffer, ...Buffer[]];

const ALGORITHM = "aes-256-gcm";
const VERSION = "v1.";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;
/** Longer than any spelling of a few keys; more is not even read. */
const MAX_FILE_BYTES = 1_000;

/** Rejects with a TypeError if there is no usable key; its text holds neither the key nor a whole path. */
export async function openSecrets({ env, derived = [], file }: SecretsOptions): Promise<KeyRing> {
  if (env !== undefined && env !== "") return new KeyedSecrets(parseKeys(env, "ZAGUAN_SECRET_KEY"));
  try {
    const [first, ...others] = derived;
    const kept = await readKeys(file);
    if (first) return new KeyedSecrets([first, ...others, ...(kept ?? [])]);
    return new KeyedSecrets(kept ?? (await makeKey(file)));
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    throw new TypeError(`The key in ${basename(file)} cannot be read or made: ${reasonOf(cause)}`, { cause });
  }
}

class KeyedSecrets implements KeyRing {
  readonly #first: KeyObject;
  readonly #others: readonly KeyObject[];

  constructor([first, ...others]: Keys) {
    this.#first = createSecretKey(first);
    this.#others = others.map((key) => createSecretKey(key));
  }

  seal(value: unknown, context: string): string {
    const json = JSON.stringify(value);
    if (json === undefined) throw new TypeError("A secret must be a JSON value");
    return encrypted(json, context, this.#first);
  }

  open(sealed: string, context: string): unknown {
    return JSON.parse(this.#decrypted(sealed, context, [this.#first, ...this.#others]));
  }

  reseal(sealed: string, context: string): string {
    if (decrypted(sealed, context, this.#first) !== undefined) return sealed;
    return encrypted(this.#decrypted(sealed, context, this.#others), context, this.#first);
  }

  #decrypted(sealed: string, context: string, keys: readonly KeyObject[]): string {
    for (const key of keys) {
      const json = decrypted(sealed, context, key);
      if (json !== undefined) return json;
    }
    throw new TypeError(
      "A stored secret cannot be opened: it was sealed with another key or for another record, or it is damaged",
    );
  }
}

function encrypted(json: string, context: string, key: KeyObject): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(toAad(context));
  const parts = [nonce, cipher.update(json, "utf8"), cipher.final(), cipher.getAuthTag()];
  return VERSION + Buffer.concat(parts).toString("base64url");
}

/** Undefined where this key does not open it. */
function decrypted(sealed: string, context: string, key: KeyObject): string | undefined {
  if (!sealed.startsWith(VERSION)) return undefined;
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
  const end = bytes.length - TAG_BYTES;
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(toAad(context)).setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function toAad(context: string): Buffer {
  return Buffer.from(VERSION + context, "utf8");
}

/** One a line, or with commas between them. */
function parseKeys(text: string, from: string): Keys {
  const [first = "", ...others] = text.split(/[\n,]/).flatMap((part) => part.trim() || []);
  return [parseKey(first, from), ...others.map((key) => parseKey(key, from))];
}

function parseKey(text: string, from: string): Buffer {
  const encoding = HEX.test(text) ? "hex" : BASE64.test(text) ? "base64" : undefined;
  if (encoding) return Buffer.from(text, encoding);
  throw new TypeError(
    `${from} does not hold a key: it must be 32 random bytes as base64 (44 characters) or as 64 hexadecimal digits`,
  );
}

/** Undefined if there is no file. What is checked is the very file that is read. */
async function readKeys(file: string): Promise<Keys | undefined> {
  const handle = await openIfThere(file);
  if (!handle) return undefined;
  try {
    const { mode, size } = await handle.stat();
    // Windows has no such bits: there the folder of the user is what protects it.
    if (process.platform !== "win32" && (mode & 0o077) !== 0) throw tooOpen(file);
    return parseKeys(size > MAX_FILE_BYTES ? "" : await handle.readFile("utf8"), basename(file));
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, "r");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

/** A link is made only where nothing is: of several processes one puts its key there, whole, and all read that one. */
async function makeKey(file: string): Promise<Keys> {
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeDurably(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`);
    await link(draft, file).catch(unlessThere);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
  const keys = await readKeys(file);
  if (!keys) throw new TypeError(`The key in ${basename(file)} was removed while it was made`);
  return keys;
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Before anything is sealed with it, the key's name is on the disk too. Some systems cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function unlessThere(cause: unknown): void {
  if (codeOf(cause) !== "EEXIST") throw cause;
}

function tooOpen(file: string): TypeError {
  const name = basename(file);
  return new TypeError(
    `${name} may be read or written by others than its owner, so its key is not used: run chmod 600 on it, ` +
      "and register credentials anew if somebody may have read it",
  );
}

/** Node's file errors name the path and the system call; their code is enough. */
function reasonOf(cause: unknown): string {
  return codeOf(cause) ?? "unknown failure";
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException).code;
}
