/** What the list shows: the hub's live word on each server, joined with what is kept of it; searched and filtered. */
import type { Server } from "../../../contract/server.ts";
import type { SourceState } from "../../../core/events.ts";
import type { ServerLive } from "../../../doors/live/views.ts";

export interface ServerRow extends ServerLive {
  /** Its name for people. */
  readonly title: string;
  readonly transport: string | null;
  /** Undefined until the hub has been asked. */
  readonly origin: Server["origin"] | undefined;
  /** Where it is: an address or a program. */
  readonly place: string | null;
}

const STATES = ["idle", "starting", "installing", "ready", "waiting", "broken", "closed"] as const;
STATES satisfies readonly SourceState[];

/** "attention": somebody should look at it. */
export type Wanted = "all" | "attention" | "silent" | SourceState;
export const WANTED: readonly Wanted[] = ["all", "attention", ...STATES, "silent"];

const order = new Intl.Collator("en", { numeric: true });

/** By name. One that is kept but could not be attached is in the list too. */
export function joined(live: readonly ServerLive[], records: readonly ServerRecord[]): readonly ServerRow[] {
  const kept = new Map(records.map((record) => [record.name, record]));
  const known = new Set(live.map(({ name }) => name));
  // A record of which the hub knew when it was asked, and does not now, is gone.
  const unattached = records.filter(({ name, kind }) => kind === "none" && !known.has(name));
  return [
    ...live.map((server) => rowOf(server, kept.get(server.name))),
    ...unattached.map((one) => rowOf(one, one)),
  ].sort((one, other) => order.compare(one.name, other.name));
}

export function found(rows: readonly ServerRow[], search: string, wanted: Wanted): readonly ServerRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => isWanted(row, wanted) && words.every((word) => textOf(row).includes(word)));
}

export function isWanted(row: ServerRow, wanted: Wanted): boolean {
  if (wanted === "all") return true;
  if (wanted === "silent") return row.silent;
  return wanted === "attention" ? needsAttention(row) : row.state === wanted;
}

export function needsAttention({ state, silent, lastError }: ServerRow): boolean {
  return state === "broken" || state === "waiting" || silent || (lastError !== null && state !== "ready");
}

/** Nothing is attached but what comes with the hub. */
export function isOnlyHouse(rows: readonly ServerRow[]): boolean {
  return rows.every(({ kind }) => kind === "house");
}

/** What says that the kept part of the list may have changed. */
export function keptVersion(live: readonly ServerLive[]): string {
  return live.map(({ name, revision, tools }) => `${name} ${revision} ${tools}`).join("\n");
}

function rowOf(
  live: Omit<ServerLive, "silent" | "isMcp"> & Partial<Pick<ServerLive, "silent" | "isMcp">>,
  kept: ServerRecord | undefined,
): ServerRow {
  const { name, kind, isMcp = false, state, silent = false, tools, restarts, progress, revision } = live;
  const told = { name, kind, isMcp, state, silent, tools, restarts, progress, revision };
  return {
    ...told,
    title: kept?.title ?? name,
    lastError: live.lastError ?? kept?.lastError ?? null,
    transport: kept?.transport ?? null,
    origin: kept?.origin,
    place: kept?.baseUrl ?? kept?.command ?? null,
  };
}

function textOf({ name, title, kind, transport, revision, place, lastError }: ServerRow): string {
  return [name, title, kind, transport, revision, place, lastError].join(" ").toLowerCase();
}

/** `name` is the slug here, by which the hub's live word knows it too; `title` is its name for people. */
export type ServerRecord = Omit<Server, "slug"> & { readonly title: string };

/** A server as this page keeps it. */
export function keptRecord({ slug, ...record }: Server): ServerRecord {
  return { ...record, name: slug, title: record.name };
}
