/** The levels of MCP's log messages, which are those of syslog. Pure. */

/** Least severe first. */
const LEVELS: readonly unknown[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export function isLogLevel(level: unknown): level is string {
  return LEVELS.includes(level);
}

/** Whether a message of this level is wanted where this is the least severe one wanted; unknown levels are. */
export function isAtLeast(level: unknown, least: string): boolean {
  const severity = LEVELS.indexOf(level);
  return severity < 0 || severity >= LEVELS.indexOf(least);
}
