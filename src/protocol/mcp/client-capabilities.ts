/** What a client is sent: requests for which it declared the capability, and log messages that are severe enough. Pure. */
import type { Payload } from "../json/payload.ts";

const NEEDED: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
});

/** The capability behind a request to a client; undefined if clients cannot be asked that. */
export function capabilityFor(method: string): string | undefined {
  return NEEDED[method];
}

/** Which of them the client declared. */
export function askable(capabilities: Payload): readonly string[] {
  return Object.values(NEEDED).filter((name) => objectAt(capabilities.value, name) !== undefined);
}

/** Whether a client that declared this may be asked that; what only some can do is asked of those who said so. */
export function mayBeAsked(capabilities: Payload, method: string, params: Payload): boolean {
  const needed = NEEDED[method];
  const declared = objectAt(capabilities.value, needed ?? "");
  if (needed === undefined || !declared) return false;
  const { mode, tools } = (params.value ?? {}) as { mode?: unknown; tools?: unknown };
  if (needed === "elicitation" && mode === "url") return objectAt(declared, "url") !== undefined;
  return needed !== "sampling" || tools === undefined || objectAt(declared, "tools") !== undefined;
}

function objectAt(value: unknown, key: string): object | undefined {
  const member = (value as Readonly<Record<string, unknown>> | null)?.[key];
  return typeof member === "object" && member !== null ? member : undefined;
}

/** The levels of MCP's log messages, which are those of syslog; least severe first. */
const LEVELS: readonly unknown[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export function isLogLevel(level: unknown): level is string {
  return LEVELS.includes(level);
}

/** Whether a message of this level is wanted where this is the least severe one wanted; unknown levels are. */
export function isAtLeast(level: unknown, least: string): boolean {
  const severity = LEVELS.indexOf(level);
  return severity < 0 || severity >= LEVELS.indexOf(least);
}
