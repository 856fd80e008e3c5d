/**
 * The revisions of the Model Context Protocol that we speak, those with a handshake and those without, and how a server's
 * answers tell which of the two it knows. Pure.
 */

/** Newest first. */
export const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export const LATEST_HANDSHAKE_VERSION: string = HANDSHAKE_VERSIONS[0];

export function isHandshakeVersion(version: unknown): version is (typeof HANDSHAKE_VERSIONS)[number] {
  return HANDSHAKE_VERSIONS.includes(version as (typeof HANDSHAKE_VERSIONS)[number]);
}

/** What we answer to `initialize`: the version asked for if we speak it, else our newest. */
export function negotiate(asked: unknown): string {
  return isHandshakeVersion(asked) ? asked : LATEST_HANDSHAKE_VERSION;
}

/** Stateless: every request says by itself which revision it speaks. Newest first. */
const MODERN_VERSIONS = ["2026-07-28"] as const;

export const LATEST_MODERN_VERSION: string = MODERN_VERSIONS[0];

export function isModernVersion(version: unknown): version is (typeof MODERN_VERSIONS)[number] {
  return MODERN_VERSIONS.includes(version as (typeof MODERN_VERSIONS)[number]);
}

/** All of them, newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...HANDSHAKE_VERSIONS];

/** "neither": it speaks revisions that we do not. */
export type Verdict = "modern" | "handshake" | "neither";

/**
 * From the result of `server/discover`, a method of the newer era: only a result that names a revision of ours comes from a
 * server that knows it.
 */
export function judgeDiscovery(result: unknown): Verdict {
  const versions = (result as { supportedVersions?: unknown } | null)?.supportedVersions;
  return Array.isArray(versions) && versions.some(isModernVersion) ? "modern" : "handshake";
}

export const UNSUPPORTED_VERSION = -32022;
export const UNKNOWN_METHOD = -32601;
export const HEADER_MISMATCH = -32020;

/** From the error that `server/discover` met: no single code tells an older server, but newer ones say which revisions they speak. */
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
