/**
 * Whether coming from this machine says who somebody is. Where others are served too, by a proxy or because the hub listens
 * beyond loopback, it does not: a proxy on this machine makes its visitors come from there.
 */
import { isLoopback } from "./addresses.ts";

interface Exposure {
  /** The address we listen on, or its name. */
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly requireKey: boolean;
}

export function isLoopbackIdentity({ host, allowedHosts, requireKey }: Exposure): boolean {
  return !requireKey && isLocalName(host) && allowedHosts.every((name) => isLocalName(withoutPort(name)));
}

export function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isLoopback(host.replace(/^\[|\]$/g, ""));
}

function withoutPort(name: string): string {
  return name.toLowerCase().replace(/:\d+$/, "");
}
