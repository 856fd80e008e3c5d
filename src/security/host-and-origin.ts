/**
 * Who may talk to us by name. A web page that a browser shows can reach loopback under a name of its own (DNS
 * rebinding) or send requests across sites; both are told by `Host` and `Origin`, which pages cannot choose. Requests that a
 * page makes without asking to read the answer (pictures, scripts) bear no `Origin`; browsers say of these where they come
 * from in `Sec-Fetch-Site`.
 */
import { networkInterfaces } from "node:os";
import { ZaguanError } from "../errors.ts";

interface GuardOptions {
  /** The address we listen on, and the port. */
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export class HostAndOrigin {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(options: GuardOptions) {
    const { port, allowedHosts, allowedOrigins } = options;
    const names = [...LOOPBACK_NAMES, ...ownName(options.host)];
    this.#hosts = lowerCased([...names, ...allowedHosts].flatMap((name) => [name, `${name}:${port}`]));
    // A name of this machine without our port is another server's origin; a configured name may stand for a proxy.
    const own = names.map((name) => (port === 80 ? name : `${name}:${port}`));
    const proxied = allowedHosts.flatMap((name) => [name, `${name}:${port}`]);
    const origins = [...own, ...proxied].flatMap((name) => [`http://${name}`, `https://${name}`]);
    this.#origins = lowerCased([...origins, ...allowedOrigins]);
  }

  /** The refusal, if there is one. Compared whole: nothing of a `Host` is ever parsed as part of a URL. */
  refusal(host: string | undefined, origin: string | undefined): ZaguanError | undefined {
    if (host === undefined || !this.#hosts.has(host.toLowerCase())) {
      return new ZaguanError("FORBIDDEN_HOST", { params: { host: shown(host) } });
    }
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase())) {
      return new ZaguanError("FORBIDDEN_ORIGIN", { params: { origin: shown(origin) } });
    }
    return undefined;
  }
}

const OF_OTHERS: ReadonlySet<string | undefined> = new Set(["cross-site", "same-site"]);

/** Whether another site's page makes this request behind its reader's back. Who follows a link comes by himself. */
export function isBehindTheBack(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || headers["origin"] !== undefined) return false;
  return OF_OTHERS.has(String(site)) && headers["sec-fetch-mode"] !== "navigate";
}

/**
 * Listening on every interface, each of our addresses is a name: an attacker's page can bring its own name to our address,
 * but never our address as its name. Those who come by another name are allowed by configuration.
 */
function ownName(host: string): string[] {
  if (host === "0.0.0.0" || host === "::") return ownAddresses();
  return [host.includes(":") && !host.startsWith("[") ? `[${host}]` : host];
}

function lowerCased(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.map((text) => text.toLowerCase()));
}

function shown(value: string | undefined): string {
  return (value ?? "").slice(0, 100);
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
}
