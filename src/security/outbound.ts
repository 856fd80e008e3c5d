/**
 * The one way out over HTTP. A name is resolved once, every address it has is checked, and the socket goes to one of
 * those very addresses; IP literals, which no resolver ever sees, are checked as well. Where this process itself listens is
 * no destination for anybody. It follows no redirects and adds no credentials; every request says which hubs it has passed.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Duplex } from "node:stream";
import type { buildConnector, Dispatcher } from "undici";
import { ZaguanError } from "../errors.ts";
import { isOwnAddress, isPublicAddress, listensOn } from "./addresses.ts";
import { HOP_HEADER, hubChain } from "./hub-chain.ts";

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

/** A request as undici takes it, with headers as names and values in turn, which it reads fastest. */
type OutgoingRequest = Omit<Dispatcher.DispatchOptions, "headers"> & { headers: string[] };

/** Connections to one origin. */
export interface Outgoing {
  dispatch(request: OutgoingRequest, handler: Dispatcher.DispatchHandler): boolean;
}

export interface Outbound {
  /**
   * New connections to one origin, whatever origin a request names. They refuse forbidden destinations by themselves,
   * whether or not `check` was asked before.
   */
  to(origin: string): Outgoing;
  /** Refuses, without any traffic, a URL that could never be reached from here. */
  check(url: string): void;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

/** The guard by itself, for a socket that undici does not make. */
interface Guard {
  /** Refuses, without any traffic, a URL that could never be reached from here; literals are refused nowhere else. */
  check(url: string): void;
  /** For whoever connects to the name and port of this URL. */
  lookupFor(url: string): LookupFunction;
  /** To be sent along. */
  readonly headers: Readonly<Record<string, string>>;
}

export function makeGuard(options: OutboundOptions): Guard {
  return {
    check: (url) => checkUrl(url, options.allowPrivate),
    lookupFor: (url) => guardedLookup(options, portOf(new URL(url))),
    headers: { [HOP_HEADER]: hubChain.marker },
  };
}

/** undici is loaded here and not at the top: a gateway without remote sources starts without it. */
export async function makeOutbound(options: OutboundOptions): Promise<Outbound> {
  const undici = await import("undici");
  // undici forgets sockets that are still connecting. A signal for all of them would hold each for as long as it lives.
  const connecting = new Set<Duplex>();
  const connectorTo = (port: number): buildConnector.connector => {
    const connect = undici.buildConnector({
      allowH2: false,
      autoSelectFamily: true,
      timeout: options.connectMs ?? 10_000,
      lookup: guardedLookup(options, port),
    });
    return guardedConnector(connect, port, options.allowPrivate, connecting);
  };
  const pools: Dispatcher[] = [];
  return {
    to: (origin) => {
      const pool = new undici.Pool(origin, { allowH2: false, connect: connectorTo(portOf(new URL(origin))) });
      pools.push(pool);
      return sayingHops(pool);
    },
    check: (url) => checkUrl(url, options.allowPrivate),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.destroy()));
      for (const socket of connecting) socket.destroy();
    },
  };
}

/** Refuses a URL that leads to this process by the port it names and what its host resolves to; one without an address passes. */
export async function refuseOwnUrl(text: string, resolve: Resolve = resolveBySystem): Promise<void> {
  const url = new URL(text);
  const port = portOf(url);
  if (!listensOn(port)) return;
  const hostname = hostnameOf(url);
  const found = isIP(hostname) === 0 ? await resolve(hostname).catch(() => []) : [{ address: hostname }];
  if (found.some(({ address }) => isOwnAddress(address, port))) throw ownAddress(hostname, port);
}

/**
 * The chain of hubs is read at every request, since who is connected to us may have changed. Most requests of a link have the
 * same list of headers, so that the last one is kept with the chain added.
 */
function sayingHops(pool: Dispatcher): Outgoing {
  let last: string[] | undefined;
  let marker: string | undefined;
  let all: string[] = [];
  return {
    dispatch: (request, handler) => {
      if (request.headers !== last || hubChain.marker !== marker) {
        last = request.headers;
        marker = hubChain.marker;
        all = [...last, HOP_HEADER, marker];
      }
      request.headers = all;
      return pool.dispatch(request, handler);
    },
  };
}

/** Node asks a lookup function for names only, so literals are stopped before it comes to that. */
function guardedConnector(
  connect: buildConnector.connector,
  port: number,
  allowPrivate: boolean,
  connecting: Set<Duplex>,
): buildConnector.connector {
  return (target, callback) => {
    const refusal = refusalOfLiteral(target.hostname, port, allowPrivate);
    if (refusal) return callback(refusal, null);
    // undici's types do not tell that it gives the socket back.
    const socket: unknown = connect(target, (...outcome) => {
      connecting.delete(socket as Duplex);
      callback(...outcome);
    });
    if (socket instanceof Duplex) connecting.add(socket);
  };
}

/** Node connects to what this returns and asks nobody again: a name cannot change its mind after the check. */
function guardedLookup(options: OutboundOptions, port: number): LookupFunction {
  return (hostname, wanted, callback) => {
    resolveChecked(hostname, port, options).then(
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
  port: number,
  { resolve = resolveBySystem, allowPrivate }: OutboundOptions,
): Promise<[ResolvedAddress, ...ResolvedAddress[]]> {
  const [first, ...others] = await resolve(hostname);
  if (!first) throw Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
  const found: [ResolvedAddress, ...ResolvedAddress[]] = [first, ...others];
  const bad = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
  if (bad) throw forbidden(hostname, `it resolves to ${bad.address}`);
  if (found.some(({ address }) => isOwnAddress(address, port))) throw ownAddress(hostname, port);
  return found;
}

const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

function checkUrl(text: string, allowPrivate: boolean): void {
  if (!URL.canParse(text)) throw forbidden("(unreadable)", "it is not a URL");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw forbidden(url.protocol, "only http: and https:");
  if (url.username || url.password) throw forbidden(url.host, "no user or password in the URL");
  const refusal = refusalOfLiteral(hostnameOf(url), portOf(url), allowPrivate);
  if (refusal) throw refusal;
}

function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (/^(?:https|wss):$/.test(protocol) ? 443 : 80);
}

function refusalOfLiteral(hostname: string, port: number, allowPrivate: boolean): ZaguanError | undefined {
  if (isIP(hostname) === 0) return undefined;
  if (!allowPrivate && !isPublicAddress(hostname)) return forbidden(hostname);
  return isOwnAddress(hostname, port) ? ownAddress(hostname, port) : undefined;
}

function ownAddress(host: string, port: number): ZaguanError {
  const params = { address: `${host}:${port}`, reason: "its address is this hub's own" };
  return new ZaguanError("OWN_ADDRESS", { params, delivery: "not_sent" });
}

/** What a name resolves to stays in the cause: the caller need not learn it. */
function forbidden(address: string, why = "it is private or reserved"): ZaguanError {
  const cause = new Error(`${address} is refused: ${why}`);
  return new ZaguanError("FORBIDDEN_ADDRESS", { params: { address }, delivery: "not_sent", cause });
}
