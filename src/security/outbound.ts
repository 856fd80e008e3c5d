/**
 * The one way out over HTTP. A name is resolved once, every address it has is checked, and the socket goes to one of
 * those very addresses; IP literals, which no resolver ever sees, are checked as well. It follows no redirects and adds
 * no credentials.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import { ZaguanError } from "../errors.ts";
import { isPublicAddress } from "./addresses.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface OutboundOptions {
  /** True where the administrator allowed this machine and its network as a destination. */
  readonly allowPrivate: boolean;
  /** For resolving, connecting and TLS together; 10 s unless given. */
  readonly connectMs?: number;
  /** In place of the system's resolver, for tests. */
  readonly resolve?: Resolve;
}

export interface Outbound {
  /**
   * New connections to one origin, whatever origin a request names. They refuse forbidden destinations by themselves,
   * whether or not `check` was asked before.
   */
  to(origin: string): Dispatcher;
  /** Refuses, without any traffic, a URL that could never be reached from here. */
  check(url: string): void;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

/** The guard by itself, for a socket that undici does not make. */
export interface Guard {
  /** Refuses, without any traffic, a URL that could never be reached from here; literals are refused nowhere else. */
  check(url: string): void;
  /** For whoever connects to the URL's name, as it stands there. */
  readonly lookup: LookupFunction;
}

export function makeGuard(options: OutboundOptions): Guard {
  return { check: (url) => checkUrl(url, options.allowPrivate), lookup: guardedLookup(options) };
}

/** undici is loaded here and not at the top: a gateway without remote sources starts without it. */
export async function makeOutbound(options: OutboundOptions): Promise<Outbound> {
  const undici = await import("undici");
  const end = new AbortController();
  const connect = undici.buildConnector({
    allowH2: false,
    autoSelectFamily: true,
    timeout: options.connectMs ?? 10_000,
    lookup: guardedLookup(options),
    // undici forgets sockets that are still connecting; Node destroys them when this is aborted.
    signal: end.signal,
  });
  const guarded = guardedConnector(connect, options.allowPrivate);
  const pools: Dispatcher[] = [];
  return {
    to: (origin) => {
      const pool = new undici.Pool(origin, { allowH2: false, connect: guarded });
      pools.push(pool);
      return pool;
    },
    check: (url) => checkUrl(url, options.allowPrivate),
    close: () => closeAll(pools).finally(() => end.abort()),
  };
}

async function closeAll(pools: readonly Dispatcher[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.destroy()));
}

/** Node asks a lookup function for names only, so literals are stopped before it comes to that. */
function guardedConnector(connect: buildConnector.connector, allowPrivate: boolean): buildConnector.connector {
  return (target, callback) => {
    if (!allowPrivate && isForbiddenLiteral(target.hostname)) callback(forbidden(target.hostname), null);
    else connect(target, callback);
  };
}

/** Node connects to what this returns and asks nobody again: a name cannot change its mind after the check. */
function guardedLookup(options: OutboundOptions): LookupFunction {
  const resolve = options.resolve ?? ((hostname) => systemLookup(hostname, { all: true }));
  return (hostname, wanted, callback) => {
    resolveChecked(hostname, resolve, options.allowPrivate).then(
      (found) => {
        if (wanted.all) callback(null, [...found]);
        else callback(null, found[0].address, found[0].family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

async function resolveChecked(
  hostname: string,
  resolve: Resolve,
  allowPrivate: boolean,
): Promise<[ResolvedAddress, ...ResolvedAddress[]]> {
  const [first, ...others] = await resolve(hostname);
  if (!first) throw Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
  const found: [ResolvedAddress, ...ResolvedAddress[]] = [first, ...others];
  const bad = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
  if (bad) throw forbidden(hostname, `it resolves to ${bad.address}`);
  return found;
}

function checkUrl(text: string, allowPrivate: boolean): void {
  if (!URL.canParse(text)) throw forbidden("(unreadable)", "it is not a URL");
  const url = new URL(text);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw forbidden(url.protocol, "only http: and https:");
  if (url.username || url.password) throw forbidden(url.host, "no user or password in the URL");
  if (!allowPrivate && isForbiddenLiteral(hostname)) throw forbidden(hostname);
}

function isForbiddenLiteral(hostname: string): boolean {
  return isIP(hostname) !== 0 && !isPublicAddress(hostname);
}

/** What a name resolves to stays in the cause: the caller need not learn it. */
function forbidden(address: string, why = "it is private or reserved"): ZaguanError {
  const cause = new Error(`${address} is refused: ${why}`);
  return new ZaguanError("FORBIDDEN_ADDRESS", { params: { address }, delivery: "not_sent", cause });
}
