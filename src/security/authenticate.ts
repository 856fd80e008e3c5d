/**
 * Who is calling? The local user, if the connection comes from this machine without a key and that is enough, or brings the
 * token that the hub keeps in its data folder; else the holder of a valid key. A key that was sent must be valid wherever it
 * comes from, so that a wrong one never passes unnoticed. The answers of the store are kept for two seconds: that is how long a revoked key lives on.
 */
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import type { KeyRecord, KeyTable } from "../store/store.ts";
import { hashKey, isWellFormedKey } from "./api-keys.ts";
import { HOP_HEADER } from "./hub-chain.ts";

export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly "x-api-key"?: string | undefined;
  /** As HandsAI's clients send it (seed 004). */
  readonly "x-handsai-token"?: string | undefined;
  /** Said by hubs, which are never the local user. */
  readonly [HOP_HEADER]?: string | undefined;
}

export interface Authenticator {
  /** The local user, if this is how it comes: then nobody has to be asked. */
  keyless(headers: CredentialHeaders, fromLoopback: boolean): Principal | undefined;
  /** Rejects with UNAUTHORIZED where no key came, with UNKNOWN_KEY where a wrong one did. */
  authenticate(headers: CredentialHeaders, fromLoopback: boolean): Promise<Principal>;
  /** A key was revoked here: what is kept may be wrong. */
  forget(): void;
}

export interface AuthenticatorOptions {
  /** Ask for a key on loopback too. */
  readonly requireKey: boolean;
  /** Whether, at this moment, coming from loopback is enough. @default it is */
  readonly trustsLoopback?: (() => boolean) | undefined;
  /** By which those who can read the data folder are the local user. @default none */
  readonly localToken?: string | undefined;
  /** Milliseconds of a clock that only grows. @default performance.now */
  readonly now?: (() => number) | undefined;
  /** The agent of this id as one who calls. */
  readonly agent?: ((id: string, keyId: string) => Promise<Principal | undefined>) | undefined;
  /** Whether a key was revoked while its holder may still be connected. */
  readonly isRevoked?: ((keyId: string) => boolean) | undefined;
}

const LOCAL: Principal = { id: "local", kind: "local", name: "local", admin: true };
const CACHE_ENTRIES = 1000;
const CACHE_MS = 2000;
const TOUCH_MS = 60_000;
const BEARER = /^bearer +(\S+)$/i;

type AskedKeys = Pick<KeyTable, "findByHash" | "touch">;

export function makeAuthenticator(keys: AskedKeys, options: AuthenticatorOptions): Authenticator {
  const holders = new KeyHolders(keys, options);
  const { requireKey, trustsLoopback = () => true, localToken } = options;
  const keyless: Authenticator["keyless"] = (headers, fromLoopback) => {
    const { authorization, "x-api-key": key, "x-handsai-token": token } = headers;
    const isKeyless = authorization === undefined && key === undefined && token === undefined;
    return isKeyless && fromLoopback && !requireKey && trustsLoopback() ? LOCAL : undefined;
  };
  return {
    keyless,
    forget: () => holders.forget(),
    async authenticate(headers, fromLoopback) {
      const local = keyless(headers, fromLoopback);
      if (local) return local;
      const sent = sentKeys(headers);
      const [key] = sent;
      const isLocal = sent.size === 1 && localToken !== undefined && hashKey(key ?? "") === hashKey(localToken);
      if (isLocal && headers[HOP_HEADER] === undefined) return LOCAL;
      const holder = sent.size === 1 && isWellFormedKey(key ?? "") ? await holders.find(hashKey(key ?? "")) : undefined;
      // An empty header is none that anybody meant.
      if (!holder) throw new ZaguanError([...sent].some((text) => text !== "") ? "UNKNOWN_KEY" : "UNAUTHORIZED");
      return holder;
    },
  };
}

interface Kept {
  readonly holder: Promise<Principal | undefined>;
  readonly until: number;
}

/** Key holders by hash. The promise is what is kept, so that calls that come together ask the store once. */
class KeyHolders {
  readonly #keys: AskedKeys;
  readonly #now: () => number;
  readonly #agent: (id: string, keyId: string) => Promise<Principal | undefined>;
  readonly #isRevoked: (keyId: string) => boolean;
  readonly #kept = new Map<string, Kept>();

  constructor(keys: AskedKeys, { now, agent, isRevoked }: AuthenticatorOptions) {
    this.#keys = keys;
    this.#now = now ?? (() => performance.now());
    this.#agent = agent ?? (async () => undefined);
    this.#isRevoked = isRevoked ?? (() => false);
  }

  forget(): void {
    this.#kept.clear();
  }

  async find(hash: string): Promise<Principal | undefined> {
    const kept = this.#kept.get(hash);
    if (kept && kept.until > this.#now()) return kept.holder;
    const holder = this.#load(hash);
    this.#keep(hash, { holder, until: this.#now() + CACHE_MS });
    return holder;
  }

  async #load(hash: string): Promise<Principal | undefined> {
    let record: KeyRecord | undefined;
    try {
      record = await this.#keys.findByHash(hash);
    } finally {
      // Neither a miss nor a failure is kept: a key made now works now, and guesses do not push out good keys.
      if (!record) this.#kept.delete(hash);
    }
    if (!record) return undefined;
    this.#touch(record);
    return record.agentId === undefined ? toPrincipal(record, this.#isRevoked) : this.#agent(record.agentId, record.id);
  }

  #keep(hash: string, kept: Kept): void {
    this.#kept.delete(hash);
    this.#kept.set(hash, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > CACHE_ENTRIES && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The time is for people to read: nobody waits for it, and no caller is refused because it could not be written. */
  #touch({ id, lastUsedUtc }: KeyRecord): void {
    const now = Date.now();
    if (lastUsedUtc !== undefined && Math.abs(now - Date.parse(lastUsedUtc)) < TOUCH_MS) return;
    this.#keys.touch(id, new Date(now).toISOString()).catch(() => {});
  }
}

/** Each different key that was sent; a header that holds no key counts as "", which is never valid. */
function sentKeys(headers: CredentialHeaders): ReadonlySet<string> {
  const sent = new Set<string>();
  if (headers.authorization !== undefined) sent.add(BEARER.exec(headers.authorization.trim())?.[1] ?? "");
  for (const key of [headers["x-api-key"], headers["x-handsai-token"]]) if (key !== undefined) sent.add(key.trim());
  return sent;
}

const NOTHING: readonly string[] = [];

/** Its rights end with the key, for whoever is connected with it as well. */
export function toPrincipal({ id, name, allow, admin }: KeyRecord, isRevoked: (keyId: string) => boolean): Principal {
  return {
    id: `key:${id}`,
    kind: "key",
    name,
    get admin() {
      return isRevoked(id) ? undefined : admin;
    },
    get allow() {
      return isRevoked(id) ? NOTHING : allow;
    },
  };
}
