/** An event as callers see it: py-xiaozhi's members in its order, times in the house's zone; ours come behind. */
import { type Language, say } from "../../messages/catalogue.ts";
import { type CalendarEvent, isAllDay, keptWall, zoneOf } from "./event.ts";
import type { Occurrence } from "./occurrences.ts";
import { DAY_MS, isoDateOf, isoOf, MINUTE_MS, type Wall } from "./time/wall.ts";
import { localIso, type Zone } from "./time/zone.ts";

type EventView = Readonly<Record<string, unknown>>;

export function eventView(event: CalendarEvent, house: Zone, occurrence?: Occurrence): EventView {
  const start = occurrence?.start ?? startOf(event, house);
  const wall = occurrence?.wall ?? keptWall(event.start);
  return {
    id: event.id,
    title: event.title,
    start_time: isoOf(shownWall(event, wall, start, house)),
    end_time: isoOf(endWall(event, wall, house, occurrence)),
    description: event.description,
    category: event.category,
    reminder_minutes: event.reminder,
    reminder_time: event.reminder === null ? null : localIso(start - event.reminder * MINUTE_MS, house),
    // Nothing here tells anybody: whoever reminds keeps its own list.
    reminder_sent: false,
    created_at: localIso(event.created, house),
    updated_at: localIso(event.updated, house),
    ...ours(event, house),
  };
}

/** "07/01 10:00 - 11:00". */
export function displayTime(occurrence: Occurrence, house: Zone, language: Language): string {
  const { event, wall, start } = occurrence;
  const from = shownWall(event, wall, start, house);
  const to = endWall(event, wall, house, occurrence);
  if (!isAllDay(event)) return `${monthDay(from)} ${clock(from)} - ${clock(to)}`;
  const last = to - DAY_MS;
  return say(language, "calendar.allDay", {
    days: last > from ? `${monthDay(from)} - ${monthDay(last)}` : monthDay(from),
  });
}

function ours(event: CalendarEvent, house: Zone): EventView {
  const { location, series, zone } = event;
  return {
    ...(isAllDay(event) ? { all_day: true } : {}),
    ...(location ? { location } : {}),
    ...(zone !== undefined && zone !== house.name ? { time_zone: zone } : {}),
    ...(series ? { recurring: true } : {}),
    ...(series?.rule ? { recurrence: series.rule } : {}),
    ...(series?.unexpanded ? { recurrence_expanded: false } : {}),
  };
}

function startOf(event: CalendarEvent, house: Zone): number {
  return (isAllDay(event) ? house : zoneOf(event, house)).instantOf(keptWall(event.start));
}

/** What was written in the house's time is shown as it was written, even in an hour that the clock leaves out. */
function shownWall(event: CalendarEvent, wall: Wall, instant: number, house: Zone): Wall {
  return event.zone === undefined || isAllDay(event) ? wall : house.wallAt(instant);
}

function endWall(event: CalendarEvent, wall: Wall, house: Zone, occurrence?: Occurrence): Wall {
  const end = wall + keptWall(event.end) - keptWall(event.start);
  if (event.zone === undefined || isAllDay(event)) return end;
  return house.wallAt(occurrence?.end ?? zoneOf(event, house).instantOf(end));
}

function monthDay(wall: Wall): string {
  return isoDateOf(wall).slice(5).replace("-", "/");
}

function clock(wall: Wall): string {
  return isoOf(wall).slice(11, 16);
}
