/** Makes one connection to NATS, at whichever of the configured addresses answers. Loads the client's package with the first one. */
import { readFile } from "node:fs/promises";
import type { Authenticator, NatsConnection } from "@nats-io/transport-node";
import { certificateReason } from "../link/http-failures.ts";
import { type NatsAddresses, parseAddresses } from "./address.ts";
import { BusError } from "./bus-error.ts";
import { probeNats } from "./probe.ts";

export interface NatsSettings {
  /** `nats://a:4222,tls://b:4222`; see `address.ts`. */
  readonly servers: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** The path of a file with the seed of an nkey, as `nk -gen user` writes it. */
  readonly nkeyFile?: string | undefined;
  /** The path of a `.creds` file. */
  readonly credsFile?: string | undefined;
  /** Paths of files in PEM; any of them turns TLS on. */
  readonly tls?: TlsFiles | undefined;
}

interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const CONNECT_MS = 5_000;
/** A NATS that stopped answering is noticed after three of these at most. */
const PING_MS = 1_000;
const PINGS_UNANSWERED = 2;
const REFUSED = "refuses our user name, password, token or key";
const AUTHENTICATION = /authorization|authentication/i;
const TLS_CODE = /TLS|SSL|CERT|SIGNED|ISSUER|EPROTO|SIGNATURE/;

/** Files are read again for each connection, so that renewed ones are taken up. Rejects with the BusError of the last address. */
export async function dialNats(settings: NatsSettings, name: string, signal: AbortSignal): Promise<NatsConnection> {
  const addresses = parseAddresses(settings.servers);
  const options = { name, ...(await authenticationOf(settings, addresses)), ...(await tlsOf(settings, addresses)) };
  let last: unknown;
  for (const server of shuffled(addresses.servers)) {
    try {
      if (!signal.aborted) return await dialOne(server, options, signal);
    } catch (cause) {
      last = cause;
    }
  }
  throw last;
}

async function dialOne(server: string, options: object, signal: AbortSignal): Promise<NatsConnection> {
  await probeNats(server, CONNECT_MS, signal);
  const { connect } = await import("@nats-io/transport-node");
  // The client's own way to reconnect keeps what is published meanwhile and sends it late: a new connection does not.
  const fixed = { reconnect: false, noEcho: true, timeout: CONNECT_MS, noAsyncTraces: true };
  const pings = { pingInterval: PING_MS, maxPingOut: PINGS_UNANSWERED };
  try {
    return await connect({ servers: [server], ...fixed, ...pings, ...options });
  } catch (cause) {
    throw explain(server, cause);
  }
}

function explain(server: string, cause: unknown): BusError {
  const text = cause instanceof Error ? cause.message : "";
  if (AUTHENTICATION.test(text)) return new BusError("credentials", `NATS at ${server} ${REFUSED}`, cause);
  if (text.includes("'tls'")) return new BusError("tls", `NATS at ${server} offers no TLS`, cause);
  for (let inner = cause; inner instanceof Error; inner = inner.cause) {
    const code = "code" in inner ? String(inner.code) : "";
    if (TLS_CODE.test(code)) return badTls(server, certificateReason(inner) ?? `no secure connection (${code})`, cause);
  }
  return new BusError("unreachable", `NATS at ${server} ended the connection: ${text || "without a reason"}`, cause);
}

function badTls(server: string, reason: string, cause: unknown): BusError {
  return new BusError("tls", `NATS at ${server}: ${reason}`, cause);
}

type Authentication = Partial<Record<"user" | "pass" | "token", string> & { readonly authenticator: Authenticator }>;

async function authenticationOf(settings: NatsSettings, addresses: NatsAddresses): Promise<Authentication> {
  const file = settings.credsFile ?? settings.nkeyFile;
  if (file !== undefined) return { authenticator: await signing(file, settings.credsFile !== undefined) };
  const user = settings.user ?? addresses.user;
  const token = settings.token ?? addresses.token;
  if (user !== undefined) return { user, pass: settings.password ?? addresses.password ?? "" };
  return token === undefined ? {} : { token };
}

/** Tried once, since the client gives up without a word where a file holds no key. */
async function signing(path: string, isCreds: boolean): Promise<Authenticator> {
  const { credsAuthenticator, nkeyAuthenticator } = await import("@nats-io/transport-node");
  const what = isCreds ? "credentials" : "nkey";
  const content = await readSetting(path, what);
  try {
    const authenticator = isCreds ? credsAuthenticator(content) : nkeyAuthenticator(trimmed(content));
    authenticator("nonce");
    return authenticator;
  } catch {
    // No cause: its text could repeat a part of the file.
    throw new BusError("file", `The file of NATS' ${what} does not hold such a key`);
  }
}

function trimmed(content: Buffer): Buffer {
  return Buffer.from(content.toString("latin1").trim(), "latin1");
}

/** Where TLS is wanted, the client refuses a server that does not offer it. */
async function tlsOf({ tls = {} }: NatsSettings, { isSecure }: NatsAddresses): Promise<object> {
  const given = Object.entries(tls).filter(([, path]) => path !== undefined);
  if (!isSecure && given.length === 0) return {};
  const read = given.map(async ([name, path]) => [name, (await readSetting(path, name)).toString("utf8")]);
  return { tls: Object.fromEntries(await Promise.all(read)) };
}

async function readSetting(path: string, what: string): Promise<Buffer> {
  return readFile(path).catch((cause: unknown) => {
    throw new BusError("file", `The file of NATS' ${what} cannot be read`, cause);
  });
}

/** Shuffles the addresses, so that the nodes of a cluster spread over the NATS servers. */
function shuffled(servers: readonly string[]): readonly string[] {
  return servers
    .map((server) => ({ server, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ server }) => server);
}
