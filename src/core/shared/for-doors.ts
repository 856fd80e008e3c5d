/** What doors keep for their clients and several nodes share, behind one port for each; here for one process. */
import { LocalReplayLogs, type ReplayLogs } from "./replay-log.ts";
import { LocalSessionTable, type SessionEntry, type SessionTable } from "./session-table.ts";
import { LocalSuspendedCalls, type SuspendedCalls } from "./suspended-calls.ts";

export interface SharedByDoors {
  readonly replay: ReplayLogs;
  /** @param most sessions at a time, read whenever one is opened */
  openSessions<S extends SessionEntry>(door: string, most: () => number): SessionTable<S>;
  openSuspended<C>(door: string): SuspendedCalls<C>;
}

/**
 * @param token makes another one each time, of 192 random bits in visible characters
 * @param node of a cluster: `idSuffix` ends every state, so that other nodes know which node issued it; `family` is the same on all
 * nodes of a cluster, and differs between clusters
 */
export function localForDoors(
  token: () => string,
  { idSuffix, family } = { idSuffix: "", family: token() },
): SharedByDoors {
  const prefix = `zaguan.${family.slice(0, 8)}.`;
  return {
    replay: new LocalReplayLogs(),
    openSessions: (_door, most) => new LocalSessionTable(most),
    openSuspended: (door) => new LocalSuspendedCalls(door, () => token() + idSuffix, prefix),
  };
}
