/** One event as a VEVENT. */
import { type CalendarEvent, DEFAULT_CATEGORY, isAllDay, keptWall } from "../event.ts";
import { basicDateOf, basicOf } from "../time/wall.ts";
import type { Zone } from "../time/zone.ts";
import { escaped, writeLine } from "./content-line.ts";
import { triggerOf } from "./duration.ts";

export function eventLines(event: CalendarEvent, house: Zone, all: ReadonlyMap<string, CalendarEvent>): string[] {
  const { description, location, category } = event;
  return [
    "BEGIN:VEVENT",
    writeLine("UID", event.instead?.of ?? event.id),
    writeLine("DTSTAMP", instant(event.updated)),
    writeLine("CREATED", instant(event.created)),
    writeLine("LAST-MODIFIED", instant(event.updated)),
    writeLine("SEQUENCE", String(event.sequence)),
    ...(event.instead ? [timeLine("RECURRENCE-ID", event.instead.at, event.instead, house)] : []),
    timeLine("DTSTART", event.start, event, house),
    timeLine("DTEND", event.end, event, house),
    ...seriesLines(event, house, all),
    writeLine("SUMMARY", escaped(event.title)),
    ...(description === "" ? [] : [writeLine("DESCRIPTION", escaped(description))]),
    ...(location ? [writeLine("LOCATION", escaped(location))] : []),
    ...(category === DEFAULT_CATEGORY ? [] : [writeLine("CATEGORIES", escaped(category))]),
    ...(event.lines ?? []),
    ...alarmLines(event),
    "END:VEVENT",
  ];
}

/** What a zone is called in TZID: an offset alone would not pass for a name. */
export function tzidOf(zone: Zone): string {
  return /^[+-]\d/.test(zone.name) ? `UTC${zone.name.replace(":", "")}` : zone.name;
}

function seriesLines(event: CalendarEvent, house: Zone, all: ReadonlyMap<string, CalendarEvent>): string[] {
  const { series } = event;
  if (!series) return [];
  // A day that was left to another event, which is gone by now, does not take place.
  const lost = (series.elsewhere ?? []).filter((start) => !all.has(`${event.id}/${start}`));
  const without = [...(series.without ?? []), ...lost];
  return [
    ...(series.rule ? [writeLine("RRULE", series.rule)] : []),
    ...(series.also ?? []).map((start) => timeLine("RDATE", start, event, house)),
    ...without.map((start) => timeLine("EXDATE", start, event, house)),
  ];
}

function timeLine(name: string, kept: string, event: Pick<CalendarEvent, "zone">, house: Zone): string {
  const wall = keptWall(kept);
  if (isAllDay({ start: kept })) return writeLine(name, basicDateOf(wall), { VALUE: "DATE" });
  const zone = event.zone ?? house.name;
  if (zone === "UTC") return writeLine(name, `${basicOf(wall)}Z`);
  return writeLine(name, basicOf(wall), { TZID: tzidOf({ ...house, name: zone }) });
}

function alarmLines({ reminder, title }: CalendarEvent): string[] {
  if (reminder === null) return [];
  return [
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    writeLine("DESCRIPTION", escaped(title)),
    writeLine("TRIGGER", triggerOf(reminder)),
    "END:VALARM",
  ];
}

function instant(ms: number): string {
  return `${basicOf(Math.floor(ms / 1_000) * 1_000)}Z`;
}
