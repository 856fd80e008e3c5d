/**
 * Which addresses are the open Internet's, which are this machine's, and which are those that this process listens on, so
 * that no outgoing connection leads back to the hub.
 */
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/**
 * True only for addresses anybody on the Internet could reach. Everything else is "private": loopback, LAN, link-local,
 * carrier-grade NAT, unspecified, multicast, reserved, and every IPv6 form that wraps an IPv4 address.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parse(ip);
  if (address?.range() !== "unicast") return false;
  return address.kind() === "ipv4" || isGlobalUnicast(address as ipaddr.IPv6);
}

/** By far the most frequent spellings, which need no parser. */
const LOOPBACKS: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

export function isLoopback(ip: string): boolean {
  if (LOOPBACKS.has(ip)) return true;
  return parse(ip)?.range() === "loopback";
}

/** 0.0.0.0 and [::], by which a listener means every address of the machine. */
function isUnspecified(ip: string): boolean {
  return parse(ip)?.range() === "unspecified" && /^[0.:]+$/.test(canonicalAddress(ip) ?? "");
}

/** One spelling for each address, without the interface that may stand behind it (`%eth0`). */
function canonicalAddress(ip: string): string | undefined {
  return parse(ip.replace(/%.*$/s, ""))?.toString();
}

/** Whether it is one of these addresses, or in one of these networks (`10.0.0.0/8`). */
export function isWithin(ip: string, networks: readonly string[]): boolean {
  // Most hubs trust no proxy, and this is asked with every request.
  const address = networks.length === 0 ? undefined : parse(ip);
  return address !== undefined && networks.some((network) => contains(network, address));
}

function contains(network: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (!network.includes("/")) return canonicalAddress(network) === address.toString();
  const [base, bits] = ipaddr.parseCIDR(network);
  return base.kind() === address.kind() && address.match(base, bits);
}

/** An IPv4 address in IPv6 clothing (`::ffff:127.0.0.1`) comes out as the IPv4 address it is. */
function parse(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  try {
    return ipaddr.process(ip);
  } catch {
    return undefined;
  }
}

/** 2000::/3, all that was ever given out: `::7f00:1`, an old spelling of 127.0.0.1, passes for unicast otherwise. */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

interface Exposure {
  /** The address we listen on, or its name. */
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly requireKey: boolean;
}

/**
 * Whether coming from this machine says who somebody is. Where others are served too, by a proxy or because the hub listens
 * beyond loopback, it does not: a proxy on this machine makes its visitors come from there.
 */
export function isLoopbackIdentity({ host, allowedHosts, requireKey }: Exposure): boolean {
  return !requireKey && isLocalName(host) && allowedHosts.every((name) => isLocalName(withoutPort(name)));
}

export function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isLoopback(host.replace(/^\[|\]$/g, ""));
}

function withoutPort(name: string): string {
  return name.toLowerCase().replace(/:\d+$/, "");
}

interface ListeningAddress {
  /** As the system tells it, never a name. */
  readonly address: string;
  readonly port: number;
}

/** Of the process and not of one object in it: sockets are opened in many places, and none of them may lead back here. */
const listening = new Set<ListeningAddress>();

/** Returns how to take it back. */
export function addOwnAddress(own: ListeningAddress): () => void {
  listening.add(own);
  return () => void listening.delete(own);
}

/** Whether this process listens on this port, on whatever address. */
export function listensOn(port: number): boolean {
  return [...listening].some((own) => own.port === port);
}

/** Whether a connection to this IP address and port would reach this process. */
export function isOwnAddress(address: string, port: number): boolean {
  for (const own of listening) if (own.port === port && leadsTo(own.address, address)) return true;
  return false;
}

/** Who connects to 0.0.0.0 or [::] reaches this machine by loopback. */
function leadsTo(own: string, address: string): boolean {
  if (isUnspecified(address)) return true;
  return isUnspecified(own) ? isOfThisMachine(address) : canonicalAddress(own) === canonicalAddress(address);
}

function isOfThisMachine(address: string): boolean {
  if (isLoopback(address)) return true;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.some((one) => canonicalAddress(one.address) === canonicalAddress(address));
}
