/** An event as it is kept: times as the clock on its wall shows them, so that they stay where they are when rules change. */

import type { Wall } from "./time/wall.ts";
import { UTC, type Zone, zoneNamed } from "./time/zone.ts";

export interface CalendarEvent {
  /** Also its UID in iCalendar. */
  readonly id: string;
  readonly title: string;
  /** "2026-07-01T10:00:00", or "2026-07-01" where it takes whole days. */
  readonly start: string;
  /** Not part of it any more, as in iCalendar. */
  readonly end: string;
  /** Where the wall is; absent for the house's own. */
  readonly zone?: string | undefined;
  readonly description: string;
  readonly category: string;
  /** Minutes before the start; null for none. */
  readonly reminder: number | null;
  readonly location?: string | undefined;
  readonly series?: Series | undefined;
  readonly instead?: Instead | undefined;
  /** Counts changes, as iCalendar's SEQUENCE. */
  readonly sequence: number;
  /** iCalendar's lines that mean nothing here, kept for whoever reads the export. */
  readonly lines?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
}

/** It stands for one day of a series, which would have begun then: written as the series does, or was known to. */
export interface Instead {
  readonly of: string;
  readonly at: string;
  readonly zone?: string | undefined;
}

/** Starts are written as the event's own. */
export interface Series {
  /** RRULE to the letter. */
  readonly rule?: string | undefined;
  /** The last start that the rule can have; absent where it has no end. */
  readonly last?: string | undefined;
  /** The rule has parts that are not understood: only the first is known. */
  readonly unexpanded?: true | undefined;
  /** Starts beside the rule. */
  readonly also?: readonly string[] | undefined;
  /** Starts that do not take place. */
  readonly without?: readonly string[] | undefined;
  /** Starts for which another event stands. */
  readonly elsewhere?: readonly string[] | undefined;
}

export const DEFAULT_CATEGORY = "默认";

export function isAllDay({ start }: Pick<CalendarEvent, "start">): boolean {
  return start.length === 10;
}

/** Of what is kept; what callers write goes through `time/iso.ts`. */
export function keptWall(kept: string): Wall {
  return Date.parse(kept.length === 10 ? `${kept}T00:00:00Z` : `${kept}Z`);
}

export function zoneOf({ zone }: Pick<CalendarEvent, "zone">, house: Zone): Zone {
  return zone === undefined ? house : (zoneNamed(zone) ?? UTC);
}

/** About how many characters it takes to keep it. */
export function weightOf(event: CalendarEvent): number {
  const { series, lines } = event;
  const lists = [series?.also, series?.without, series?.elsewhere].flatMap((list) => list ?? []);
  const texts = [event.id, event.title, event.description, event.category, event.location ?? "", series?.rule ?? ""];
  return 300 + sumOf(texts) + sumOf(lists) + sumOf(lines ?? []);
}

function sumOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 3, 0);
}
