/**
 * An event as it is kept, and the book that keeps all of them. Times are kept as the clock on the event's wall shows
 * them, so that they stay where they are when the rules of a zone change.
 */
import type { DocumentTable } from "../../store/store.ts";
import { Unfit } from "./desk.ts";
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
  /** The zone of its clock; absent for the house's own. */
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

/** The wall time of a date or time as the calendar stores it; `parseIso` reads what callers write. */
export function keptWall(kept: string): Wall {
  return Date.parse(kept.length === 10 ? `${kept}T00:00:00Z` : `${kept}Z`);
}

export function zoneOf({ zone }: Pick<CalendarEvent, "zone">, house: Zone): Zone {
  return zone === undefined ? house : (zoneNamed(zone) ?? UTC);
}

/** About how many characters it takes to keep it. */
function weightOf(event: CalendarEvent): number {
  const { series, lines } = event;
  const lists = [series?.also, series?.without, series?.elsewhere].flatMap((list) => list ?? []);
  const texts = [event.id, event.title, event.description, event.category, event.location ?? "", series?.rule ?? ""];
  return 300 + sumOf(texts) + sumOf(lists) + sumOf(lines ?? []);
}

function sumOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 3, 0);
}

const COLLECTION = "ability:calendar";
const KEY = "events";

export const MOST_EVENTS = 10_000;
/** Characters, about. */
const MOST_WEIGHT = 8_000_000;

export interface Change<Result> {
  readonly events: readonly CalendarEvent[];
  readonly result: Result;
}

/**
 * One document, changed as one, so that two who write at once (two processes, even) never lose each other's event nor
 * put two in one hour. Ten thousand events are some three megabytes, read in twenty milliseconds; a calendar that is
 * split into months could not be searched for a conflict and written as one.
 */
export class CalendarBook {
  readonly #documents: DocumentTable;

  constructor(documents: DocumentTable) {
    this.#documents = documents;
  }

  async read(): Promise<readonly CalendarEvent[]> {
    return eventsIn(await this.#documents.get(COLLECTION, KEY));
  }

  /** Nothing is written if `change` throws. */
  async change<Result>(change: (events: readonly CalendarEvent[]) => Change<Result>): Promise<Result> {
    let result: { readonly value: Result } | undefined;
    await this.#documents.update(COLLECTION, KEY, (kept) => {
      const before = eventsIn(kept);
      const { events, result: value } = change(before);
      refuseOverflow(before, events);
      result = { value };
      return { events };
    });
    if (!result) throw new Error("the change was never made");
    return result.value;
  }
}

function eventsIn(kept: unknown): readonly CalendarEvent[] {
  const events = (kept as { readonly events?: unknown } | undefined)?.events;
  return Array.isArray(events) ? (events as CalendarEvent[]) : [];
}

/** A calendar that is over its limits already may still be made smaller, and not larger. */
function refuseOverflow(before: readonly CalendarEvent[], after: readonly CalendarEvent[]): void {
  if (after.length > Math.max(MOST_EVENTS, before.length)) throw new Unfit("calendar.full", { most: MOST_EVENTS });
  const weight = weightOfAll(after);
  if (weight > MOST_WEIGHT && weight > weightOfAll(before)) throw new Unfit("calendar.tooHeavy");
}

function weightOfAll(events: readonly CalendarEvent[]): number {
  return events.reduce((sum, event) => sum + weightOf(event), 0);
}
