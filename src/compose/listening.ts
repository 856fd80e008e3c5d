/** What the HTTP port is opened with: settings that follow the configuration, credentials, and words for a port not to be had. */
import { ConfigError } from "../config/config-error.ts";
import type { ZaguanConfig } from "../config/types.ts";
import type { DoorLimits } from "../doors/door.ts";
import type { HttpSettings } from "../doors/http/server.ts";
import { type Language, say } from "../messages/catalogue.ts";
import type { CredentialHeaders } from "../security/authenticate.ts";
import { HOP_HEADER } from "../security/hub-chain.ts";

const made = new WeakMap<ZaguanConfig, HttpSettings>();

/** The same object until the configuration changes, so that what is derived from it is made once. */
export function httpSettings(config: ZaguanConfig): HttpSettings {
  const known = made.get(config);
  if (known) return known;
  const { bodyBytes, connections, unreadBytes } = config.limits;
  const { allowedHosts, allowedOrigins, trustedProxies } = config.auth;
  const settings = { bodyBytes, connections, unreadBytes, allowedHosts, allowedOrigins, trustedProxies };
  made.set(config, settings);
  return settings;
}

export function doorLimits({ limits }: ZaguanConfig): DoorLimits {
  const { jsonDepth, jsonElements, sessions, sessionIdleSeconds } = limits;
  return { depth: jsonDepth, elements: jsonElements, sessions, sessionIdleMs: sessionIdleSeconds * 1_000 };
}

export function credentials(headers: Readonly<Record<string, string | string[] | undefined>>): CredentialHeaders {
  return {
    authorization: first(headers["authorization"]),
    "x-api-key": first(headers["x-api-key"]),
    "x-handsai-token": first(headers["x-handsai-token"]),
    [HOP_HEADER]: first(headers[HOP_HEADER]),
  };
}

export function cannotListen(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  language: Language,
): ConfigError {
  if (error.code === "EADDRINUSE") return new ConfigError(say(language, "start.portInUse", { host, port }), error);
  const reason = error.code === "EACCES" ? "permission denied" : (error.code ?? "unknown error");
  return new ConfigError(say(language, "start.cannotListen", { host, port, reason }), error);
}

function first(header: string | string[] | undefined): string | undefined {
  return typeof header === "object" ? header[0] : header;
}
