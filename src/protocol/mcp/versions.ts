/** The revisions of the Model Context Protocol that we speak: those with a handshake, and those without. */

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
