/** What callers give, held against what can be kept. */
import { Unfit } from "./desk.ts";
import { DEFAULT_CATEGORY } from "./event.ts";
import { HOUR_MS, isoOf, MINUTE_MS, parseIso, type WrittenTime } from "./time/wall.ts";
import type { Zone } from "./time/zone.ts";

export const MOST_CHARACTERS = {
  title: 500,
  description: 10_000,
  category: 100,
  location: 500,
  event_id: 300,
} as const;
/** A year. */
export const MOST_REMINDER_MINUTES = 527_040;

/** As an event keeps them. */
export interface KeptTimes {
  readonly start: string;
  readonly end: string;
  readonly zone?: string | undefined;
}

export function timeIn(text: string): WrittenTime {
  const time = parseIso(text);
  if (!time) throw new Unfit("calendar.badTime", { value: text.slice(0, 60) });
  return time;
}

/** Without a zone it is the house's time. */
export function instantOf({ wall, offsetMs }: WrittenTime, house: Zone): number {
  return offsetMs === undefined ? house.instantOf(wall) : wall - offsetMs;
}

/** Both in the house's time, or, if one of them names a zone, both in UTC. */
export function keptTimes(start: WrittenTime, end: WrittenTime, house: Zone): KeptTimes {
  const isLocal = start.offsetMs === undefined && end.offsetMs === undefined;
  const [from, to] = isLocal ? [start.wall, end.wall] : [instantOf(start, house), instantOf(end, house)];
  if (to < from) throw new Unfit("calendar.endsBefore");
  return { start: isoOf(from), end: isoOf(to), ...(isLocal ? {} : { zone: "UTC" }) };
}

export function later(time: WrittenTime, ms: number): WrittenTime {
  return { ...time, wall: time.wall + ms, dateOnly: false };
}

export function textIn(name: keyof typeof MOST_CHARACTERS, text: string): string {
  const most = MOST_CHARACTERS[name];
  if (text.length > most) throw new Unfit("calendar.tooLong", { name, most });
  return text;
}

export function titleIn(text: string): string {
  if (text.trim() === "") throw new Unfit("calendar.noTitle");
  return textIn("title", text);
}

export function categoryIn(text: string): string {
  return textIn("category", text.trim()) || DEFAULT_CATEGORY;
}

export function reminderIn(minutes: number): number {
  if (Math.abs(minutes) > MOST_REMINDER_MINUTES)
    throw new Unfit("calendar.badReminder", { most: MOST_REMINDER_MINUTES });
  return minutes;
}

const SHORT = ["提醒", "休息", "站立", "reminder", "break", "recordatorio", "descanso", "rappel", "pause"];
const LONG = ["会议", "工作", "meeting", "work", "reunión", "trabajo", "réunion", "travail"];
const SHORT_TITLES = ["提醒", "站立", "休息"];

/** py-xiaozhi's rule for an event of which nobody said how long it takes; its categories in other languages count as well. */
export function usualLength(category: string, title: string): number {
  const name = category.toLowerCase();
  if (SHORT.includes(name)) return 5 * MINUTE_MS;
  if (LONG.includes(name)) return HOUR_MS;
  return SHORT_TITLES.some((word) => title.includes(word)) ? 5 * MINUTE_MS : 30 * MINUTE_MS;
}
