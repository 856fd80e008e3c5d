/** Whether a URL leads to this machine or its network, as far as can be told without asking a name server. */
import { isIP } from "node:net";
import { isPublicAddress } from "../security/addresses.ts";

export function isPrivateUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return host === "localhost" || /\.(?:localhost|local|lan|home|internal|home\.arpa)$/.test(host);
}
