/** Dates and times as iCalendar writes them: a day, a time of no place, of UTC, or of a zone that TZID names. */
import { type CalendarEvent, keptWall } from "../event.ts";
import { keptForm } from "../occurrences.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, parseIso, parseOffset, SECOND_MS, startOfDay, type Wall } from "../time/wall.ts";
import { fixedZoneName, UTC, type Zone, zoneNamed } from "../time/zone.ts";
import { type Component, type ContentLine, lineIn, linesIn, listOf, partsIn } from "./syntax.ts";
import { windowsZone } from "./windows-zones.ts";

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

const DURATION = /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;
const UNITS = [7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/** A length of time (RFC 5545 §3.3.6: "-PT15M", "P1DT2H", "P2W") in milliseconds; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text.trim().toUpperCase());
  if (!match) return undefined;
  const amounts = match.slice(2);
  if (amounts.every((amount) => amount === undefined)) return undefined;
  const total = UNITS.reduce((sum, unit, index) => sum + unit * Number(amounts[index] ?? 0), 0);
  return total === 0 ? 0 : (match[1] === "-" ? -1 : 1) * total;
}

/** The TRIGGER of a reminder so many minutes before its event. */
export function triggerOf(minutesBefore: number): string {
  return `${minutesBefore > 0 ? "-" : ""}PT${Math.abs(minutesBefore)}M`;
}

/**
 * The platform's name of the zone that a TZID means: a name that the platform knows, one of Windows, or what the file
 * itself says of it; undefined where nobody knows it.
 */
export type ZoneFinder = (tzid: string) => string | undefined;

export function zoneFinder(calendar: Component): ZoneFinder {
  const described = new Map(
    partsIn(calendar, "VTIMEZONE").map((zone) => [lineIn(zone, "TZID")?.value.trim() ?? "", zone] as const),
  );
  return (tzid) => known(tzid) ?? windowsZone(tzid) ?? ofDescription(described.get(tzid));
}

/** Some programs put their own name in front: "/mozilla.org/20070129_1/Europe/Berlin". */
function known(tzid: string): string | undefined {
  const parts = tzid
    .slice(0, 200)
    .split("/")
    .filter((part) => part !== "");
  const names = [tzid, parts.slice(-3).join("/"), parts.slice(-2).join("/")];
  return names.find((name) => name !== "" && zoneNamed(name) !== undefined);
}

/** Rules of its own are not followed; a clock that is never put forward is. */
function ofDescription(zone: Component | undefined): string | undefined {
  if (!zone) return undefined;
  const place = lineIn(zone, "X-LIC-LOCATION")?.value.trim();
  if (place && zoneNamed(place)) return place;
  const offsets = new Set(
    zone.parts.flatMap((part) => linesIn(part, "TZOFFSETTO").map((line) => parseOffset(line.value.trim().slice(0, 5)))),
  );
  const [offset] = offsets;
  return offsets.size === 1 && offset !== undefined ? fixedZoneName(offset) : undefined;
}
