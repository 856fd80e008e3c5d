/** What the answer to `server/discover` says of a server's era; servers of the older one know no such method. Pure. */
import { isHandshakeVersion, isModernVersion } from "./versions.ts";

/** "neither": it speaks revisions that we do not. */
export type Verdict = "modern" | "handshake" | "neither";

/** Of a result: only one that names a revision of ours is the answer of a server that knows the question. */
export function judgeDiscovery(result: unknown): Verdict {
  const versions = (result as { supportedVersions?: unknown } | null)?.supportedVersions;
  return Array.isArray(versions) && versions.some(isModernVersion) ? "modern" : "handshake";
}

export const UNSUPPORTED_VERSION = -32022;
export const UNKNOWN_METHOD = -32601;
export const HEADER_MISMATCH = -32020;

/** Of an error: no single code tells an older server; but the newer ones say which revisions they speak instead. */
export function judgeRefusal({ code, data }: { readonly code: number; readonly data?: unknown }): Verdict {
  const supported = (data as { supported?: unknown } | null | undefined)?.supported;
  if (code !== UNSUPPORTED_VERSION || !Array.isArray(supported) || supported.length === 0) return "handshake";
  if (supported.some(isHandshakeVersion)) return "handshake";
  return supported.some(isModernVersion) ? "modern" : "neither";
}

/**
 * Whether a refused `initialize` is what a server says that knows the newer era alone. That it does not know the method is
 * no proof if it did not know the newer era's greeting either.
 */
export function refusesHandshakes(
  error: { readonly code: number; readonly data?: unknown },
  mayBeModern: boolean,
): boolean {
  const { code, data } = error;
  if (code !== UNSUPPORTED_VERSION) return mayBeModern && code === UNKNOWN_METHOD;
  const supported = (data as { supported?: unknown } | null | undefined)?.supported;
  return !Array.isArray(supported) || supported.some(isModernVersion);
}
