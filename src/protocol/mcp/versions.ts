/** The revisions of the Model Context Protocol that we speak with a handshake. */

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
