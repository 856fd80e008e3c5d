/** Which IP addresses are the open Internet's and which are this machine's own. Knows addresses only, never names. */
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
export function isUnspecified(ip: string): boolean {
  return parse(ip)?.range() === "unspecified" && /^[0.:]+$/.test(canonicalAddress(ip) ?? "");
}

/** One spelling for each address, without the interface that may stand behind it (`%eth0`). */
export function canonicalAddress(ip: string): string | undefined {
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
