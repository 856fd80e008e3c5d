/** What is pasted as a list of servers to choose from, and what becomes of each. Without a page: only what follows what. */
import type { GivenServer, ServerPreview } from "../../../contract/server.ts";
import type { Problem } from "../../kit/api.ts";
import type { PastedServer, PasteOutcome } from "./paste.ts";
import { filledIn, tokensIn } from "./paste-gaps.ts";

export interface PasteRow {
  readonly server: PastedServer;
  readonly name: string;
  readonly ticked: boolean;
  /** Looked at, at the moment. */
  readonly looking: boolean;
  readonly preview?: ServerPreview | undefined;
  readonly problem?: Problem | undefined;
}

/** What is switched off where it comes from, or is here already, is not taken unless somebody says so. */
export function rowsOf(outcome: PasteOutcome, taken: ReadonlySet<string>): readonly PasteRow[] {
  if (outcome.kind !== "read") return [];
  return outcome.servers.map((server) => ({
    server,
    name: server.name,
    looking: false,
    ticked: !server.isOff && !taken.has(server.name),
  }));
}

export function changedRow(rows: readonly PasteRow[], place: number, part: Partial<PasteRow>): readonly PasteRow[] {
  return rows.map((row, index) => (index === place ? { ...row, ...part } : row));
}

/** Another name or another value makes it another server: what was seen of it before says nothing. */
export function unseen(row: PasteRow): PasteRow {
  return { ...row, looking: false, preview: undefined, problem: undefined };
}

/** What could not be reached is only added by somebody who ticks it again. */
export function seen(row: PasteRow, preview: ServerPreview): PasteRow {
  return { ...row, looking: false, preview, problem: undefined, ticked: row.ticked && preview.ok };
}

export function refused(row: PasteRow, problem: Problem): PasteRow {
  return { ...row, looking: false, preview: undefined, problem, ticked: false };
}

export function requestOfRow({ server, name }: PasteRow, given: Readonly<Record<string, string>>): GivenServer {
  const { baseUrl, command, args, env, headers } = filledIn(server, given);
  return command === undefined ? { name, baseUrl, headers } : { name, command, args, env };
}

/** Places in a server that nobody has filled in. */
export function openGaps({ server }: PasteRow, given: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set(tokensIn(server).filter((token) => !given[token]))];
}

/** Ready to be added: ticked, looked at, and under a name of its own. */
export function addable(rows: readonly PasteRow[], taken: ReadonlySet<string>): readonly PasteRow[] {
  return rows.filter((row) => row.ticked && row.preview !== undefined && !isTaken(row, rows, taken));
}

export function isTaken(row: PasteRow, rows: readonly PasteRow[], taken: ReadonlySet<string>): boolean {
  return taken.has(row.name) || rows.some((other) => other !== row && other.ticked && other.name === row.name);
}

/** Does something with each of many, a few at once. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  // One iterator for all: each takes the next that nobody has.
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    for (const item of rest) await work(item);
  });
  await Promise.all(workers);
}
