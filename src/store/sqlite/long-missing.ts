/**
 * Tools that their server has not listed for long and that nobody is linked to are forgotten, so that a server which names
 * its tools anew each time does not fill the file. Runs inside a transaction of its caller.
 */
import type { SqliteDriver } from "./driver.ts";
import { timeAfter } from "./rows.ts";

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** The time of a missing tool is when it went missing: nothing else of it changes until it is back. */
const LONG_MISSING = `
  server_number = ? AND missing = 1 AND updated_utc < ?
  AND NOT EXISTS (SELECT 1 FROM bindings WHERE tool_number = tools.number)`;

export function forgetLongMissing(driver: SqliteDriver, serverId: string): void {
  const server = driver.first("SELECT number, updated_utc FROM servers WHERE id = ?", serverId);
  if (!server) return;
  const [number, before] = [server["number"] as number, server["updated_utc"] as string];
  const since = new Date(Date.now() - KEPT_MS).toISOString();
  if (driver.run(`DELETE FROM tools WHERE ${LONG_MISSING}`, number, since) === 0) return;
  // No list may change, not even that of the missing, under an unchanged version.
  driver.run("UPDATE servers SET updated_utc = ? WHERE number = ?", timeAfter(before), number);
}
