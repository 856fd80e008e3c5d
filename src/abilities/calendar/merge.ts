/** Puts the events of a file among those that are kept: known ones, by their UID, are brought up to date. Pure. */
import type { MessageKey } from "../../messages/catalogue.ts";
import { type CalendarEvent, type Instead, keptWall, type Series } from "./event.ts";
import type { ReadEvent } from "./ics/read-event.ts";
import { startAs } from "./ics/times.ts";
import type { Zone } from "./time/zone.ts";

export interface Merged {
  readonly events: readonly CalendarEvent[];
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly skipped: readonly { readonly title: string; readonly reason: MessageKey }[];
}

export function merge(kept: readonly CalendarEvent[], incoming: readonly ReadEvent[], house: Zone): Merged {
  const merging = new Merging(kept, house);
  // A day of a series needs its series, wherever in the file that stands.
  for (const each of incoming) if (!each.instead) merging.take(each.event, each.isCancelled);
  for (const each of incoming) if (each.instead) merging.takeInstead(each, each.instead);
  return merging.result();
}

class Merging {
  readonly #events: Map<string, CalendarEvent>;
  /** Those that stand for days of a series, by its id. */
  readonly #standing: ReadonlyMap<string | undefined, readonly CalendarEvent[]>;
  readonly #house: Zone;
  readonly #skipped: { title: string; reason: MessageKey }[] = [];
  #created = 0;
  #updated = 0;
  #removed = 0;

  constructor(kept: readonly CalendarEvent[], house: Zone) {
    this.#events = new Map(kept.map((event) => [event.id, event]));
    this.#standing = Map.groupBy(kept, ({ instead }) => instead?.of);
    this.#house = house;
  }

  take(event: CalendarEvent, isCancelled: boolean): void {
    const known = this.#events.get(event.id);
    if (isCancelled) this.#cancel(event, known);
    else if (isOlder(event, known)) this.#skip(event, "calendar.skipOlder");
    else {
      this.#put(event, known);
      this.#rehome(event, known?.series?.elsewhere ?? [], known?.zone);
    }
  }

  /** One day of a series: it is found by when that day would have begun, as its series writes it. */
  takeInstead({ event, isCancelled }: ReadEvent, { of, at }: NonNullable<ReadEvent["instead"]>): void {
    const series = this.#events.get(of);
    const own = standing(event, { of, at: startAs(series ?? event, at, this.#house), zone: (series ?? event).zone });
    const known = this.#events.get(own.id);
    if (isOlder(own, known)) this.#skip(event, "calendar.skipOlder");
    else this.#putInstead(own, known, isCancelled ? "without" : "elsewhere", series);
  }

  result(): Merged {
    const events = [...this.#events.values()];
    const counts = { created: this.#created, updated: this.#updated, removed: this.#removed };
    return { events, ...counts, skipped: this.#skipped };
  }

  /** What stands for days of a series, or stood for them, is found by them again in whatever zone it is written now. */
  #rehome(series: CalendarEvent, elsewhere: readonly string[], zone: string | undefined): void {
    const startOf = (at: string, from: string | undefined) =>
      startAs(series, { wall: keptWall(at), isDate: at.length === 10, zone: from }, this.#house);
    const starts = new Set(elsewhere.map((at) => startOf(at, zone)));
    for (const event of this.#standing.get(series.id) ?? []) {
      if (!event.instead || !this.#events.delete(event.id)) continue;
      const at = startOf(event.instead.at, event.instead.zone);
      const own = standing(event, { of: series.id, at, zone: series.zone });
      this.#events.set(own.id, own);
      starts.add(at);
    }
    if (starts.size === 0 || !series.series) return;
    const known = this.#events.get(series.id) ?? series;
    this.#events.set(series.id, { ...known, series: { ...known.series, elsewhere: [...starts] } });
  }

  #putInstead(
    own: CalendarEvent & { readonly instead: Instead },
    known: CalendarEvent | undefined,
    list: "without" | "elsewhere",
    series: CalendarEvent | undefined,
  ): void {
    if (series?.series) this.#events.set(series.id, leaving(series, list, own.instead.at));
    if (list === "elsewhere") this.#put(own, known);
    else if (this.#events.delete(own.id) || series?.series) this.#removed++;
    else this.#skip(own, "calendar.skipCancelled");
  }

  #cancel(event: CalendarEvent, known: CalendarEvent | undefined): void {
    if (!known) {
      this.#skip(event, "calendar.skipCancelled");
      return;
    }
    this.#events.delete(event.id);
    for (const [id, { instead }] of this.#events) if (instead?.of === event.id) this.#events.delete(id);
    this.#removed++;
  }

  #put(event: CalendarEvent, known: CalendarEvent | undefined): void {
    this.#events.set(event.id, { ...event, created: known?.created ?? event.created });
    if (known) this.#updated++;
    else this.#created++;
  }

  #skip({ title }: CalendarEvent, reason: MessageKey): void {
    this.#skipped.push({ title: title.slice(0, 60), reason });
  }
}

/** Whoever changed it here changed it later. */
function isOlder(event: CalendarEvent, known: CalendarEvent | undefined): boolean {
  return known !== undefined && event.sequence < known.sequence;
}

function standing(event: CalendarEvent, instead: Instead): CalendarEvent & { readonly instead: Instead } {
  return { ...event, id: `${instead.of}/${instead.at}`, instead };
}

function leaving(event: CalendarEvent, list: "without" | "elsewhere", start: string): CalendarEvent {
  const starts = event.series?.[list] ?? [];
  if (starts.includes(start)) return event;
  const series: Series = { ...event.series, [list]: [...starts, start] };
  return { ...event, series };
}
