/** Dates and times as iCalendar writes them: a day, a time of no place, of UTC, or of a zone that TZID names. */
import { type CalendarEvent, keptWall } from "../event.ts";
import { keptForm } from "../occurrences.ts";
import { parseIso } from "../time/iso.ts";
import { startOfDay, type Wall } from "../time/wall.ts";
import { UTC, type Zone, zoneNamed } from "../time/zone.ts";
import { type ContentLine, listOf } from "./content-line.ts";
import type { ZoneFinder } from "./zones.ts";

export interface IcsTime {
  readonly wall: Wall;
  readonly isDate: boolean;
  /** Absent where it is the house's, or nobody's. */
  readonly zone?: string | undefined;
  /** A TZID that nobody knows. */
  readonly unknownZone?: string | undefined;
}

const TIME = /^\d{8}(?:T\d{4}(?:\d{2})?Z?)?$/i;

export function timeIn(line: ContentLine | undefined, find: ZoneFinder): IcsTime | undefined {
  return line && timesIn(line, find)[0];
}

/** Values that are none are left out; of a period, its beginning is taken. */
export function timesIn(line: ContentLine, find: ZoneFinder): IcsTime[] {
  const tzid = line.params.get("TZID");
  const zone = tzid === undefined ? undefined : find(tzid);
  return listOf(line.value).flatMap((value) => {
    const text = value.trim().split("/", 1)[0] ?? "";
    const written = TIME.test(text) ? parseIso(text) : undefined;
    if (!written) return [];
    if (written.dateOnly) return { wall: written.wall, isDate: true };
    if (written.offsetMs !== undefined) return { wall: written.wall, isDate: false, zone: "UTC" };
    return { wall: written.wall, isDate: false, zone, unknownZone: zone === undefined ? tzid : undefined };
  });
}

/** The same instant as the wall of another zone shows it; a day stays that day. */
export function wallIn(time: IcsTime, zone: string | undefined, house: Zone): Wall {
  if (time.isDate || time.zone === zone) return time.wall;
  return placeOf(zone, house).wallAt(placeOf(time.zone, house).instantOf(time.wall));
}

/** When an event of a series begins, as it keeps its own start; a day alone means the event of that day. */
export function startAs(event: Pick<CalendarEvent, "start" | "zone">, time: IcsTime, house: Zone): string {
  const first = keptWall(event.start);
  return keptForm(event, time.isDate ? time.wall + first - startOfDay(first) : wallIn(time, event.zone, house));
}

function placeOf(zone: string | undefined, house: Zone): Zone {
  return zone === undefined ? house : (zoneNamed(zone) ?? UTC);
}
