/** What a client is to be connected with: the whole hub, one server, or one agent; where that is, and what it is called there. */
export interface Target {
  readonly kind: "hub" | "server" | "agent";
  /** Empty for the hub. */
  readonly name: string;
}

export const HUB: Target = { kind: "hub", name: "" };

/** Everything that a snippet is made of. */
export interface Place {
  /** The hub's address, with a slash at its end. */
  readonly base: string;
  readonly target: Target;
  /** The key, or what stands in its place; undefined where none is needed. */
  readonly key: string | undefined;
}

/** Where the page itself came from is where the hub is, whatever path a proxy has put before it. */
export function pageBase(href: string): string {
  const url = new URL(".", href);
  url.search = "";
  url.hash = "";
  return url.href;
}

/** An address as somebody types it; undefined if it is none. */
export function baseIn(text: string): string | undefined {
  const written = text.trim();
  // Some browsers take a host with a space in it.
  if (!/^\S+$/.test(written)) return undefined;
  const url = URL.parse(/^https?:\/\//i.test(written) ? written : `http://${written}`);
  if (!url || url.hostname === "" || url.username !== "" || url.password !== "") return undefined;
  return new URL(`${url.pathname.replace(/\/*$/, "")}/`, url.origin).href;
}

export function isLoopback(base: string): boolean {
  const { hostname } = new URL(base);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}

export function addressesOf(base: string, { kind, name }: Target): Readonly<Record<"mcp" | "sse" | "socket", string>> {
  const place = kind === "hub" ? base : `${base}${kind}s/${inPath(name)}/`;
  const mcp = `${place}mcp`;
  return { mcp, sse: `${place}sse`, socket: mcp.replace(/^http/, "ws") };
}

/** Also without the characters that a shell would take for its own. */
function inPath(name: string): string {
  const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replace(/[!'()*]/g, hex);
}

/** A name that every client takes: letters, digits and hyphens. */
export function clientName({ kind, name }: Target): string {
  if (kind === "hub") return "zaguan";
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return `zaguan-${plain || `${kind}-${checksum(name)}`}`;
}

/** Two names of which nothing is left must not become the same. */
function checksum(text: string): string {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 46_656;
  return sum.toString(36).padStart(3, "0");
}

/** As it stands in this page's address: `hub`, `server:house`, `agent:living room`. */
export function targetText({ kind, name }: Target): string {
  return kind === "hub" ? kind : `${kind}:${name}`;
}

export function targetIn(text: string | null): Target {
  const [, kind, name = ""] = /^(server|agent):(.+)$/s.exec(text ?? "") ?? [];
  return kind === "server" || kind === "agent" ? { kind, name } : HUB;
}
