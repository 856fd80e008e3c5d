/**
 * What a clock on the wall shows, without saying where it hangs: milliseconds as if that place were UTC, so that days and
 * hours can be counted with plain numbers. `zone.ts` turns it into an instant. Years 1 to 9999.
 */
/** As if it were UTC; not an instant. */
export type Wall = number;

export const SECOND_MS = 1_000;
export const MINUTE_MS: number = 60 * SECOND_MS;
export const HOUR_MS: number = 60 * MINUTE_MS;
export const DAY_MS: number = 24 * HOUR_MS;

/** From the first, up to the second and not with it. */
export interface WallRange {
  readonly from: Wall;
  readonly to: Wall;
}

interface DateParts {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

interface TimeParts {
  readonly hour?: number | undefined;
  readonly minute?: number | undefined;
  readonly second?: number | undefined;
}

/** Undefined where there is no such day or hour. A leap second is the one before it. */
export function wallOf({ year, month, day }: DateParts, time: TimeParts = {}): Wall | undefined {
  const { hour = 0, minute = 0, second = 0 } = time;
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  return dayNumber(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + Math.min(second, 59) * SECOND_MS;
}

/** Days since 1 January 1970; negative before. */
export function dayNumber(year: number, month: number, day: number): number {
  // Date.UTC takes the years 0 to 99 for those of the 20th century: count four hundred years later and come back.
  return Date.UTC(year + 400, month - 1, day) / DAY_MS - 146_097;
}

export function partsOf(wall: Wall): DateParts {
  const date = new Date(wall);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export function startOfDay(wall: Wall): Wall {
  return Math.floor(wall / DAY_MS) * DAY_MS;
}

/** Monday is 0. */
export function weekdayOf(wall: Wall): number {
  return (((Math.floor(wall / DAY_MS) + 3) % 7) + 7) % 7;
}

export function daysIn(year: number, month: number): number {
  return dayNumber(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - dayNumber(year, month, 1);
}

/** "2026-07-01T10:00:00", with milliseconds where there are any, as Python writes it. */
export function isoOf(wall: Wall): string {
  const text = new Date(wall).toISOString();
  return text.endsWith(".000Z") ? text.slice(0, -5) : text.slice(0, -1);
}

/** "2026-07-01". */
export function isoDateOf(wall: Wall): string {
  return isoOf(wall).slice(0, 10);
}

/** iCalendar's "20260701T100000". */
export function basicOf(wall: Wall): string {
  return isoOf(wall).slice(0, 19).replaceAll(/[-:]/g, "");
}

/** iCalendar's "20260701". */
export function basicDateOf(wall: Wall): string {
  return basicOf(wall).slice(0, 8);
}

export interface WrittenTime {
  readonly wall: Wall;
  /** How far the place is ahead of UTC; absent where none was written. */
  readonly offsetMs?: number | undefined;
  /** No time of day was written. */
  readonly dateOnly: boolean;
}

const DATE = /^(\d{4})-?(\d{2})-?(\d{2})$/;
const TIME = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,]\d{1,9})?)?)?$/;
const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?$/;
/** The longest has nanoseconds and an offset. */
const MOST_CHARACTERS = 40;

/**
 * Reads the times that callers write: ISO 8601 as Python's `fromisoformat` takes it, with a zone or without; undefined
 * where it is no such time. Fractions of a second are left out.
 */
export function parseIso(text: string): WrittenTime | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MOST_CHARACTERS) return undefined;
  const [dateText = "", timeText] = trimmed.split(/[T\s]/i, 2);
  const date = numbersIn(DATE, dateText);
  if (!date) return undefined;
  const [year = 0, month = 0, day = 0] = date;
  if (timeText === undefined) return timed(wallOf({ year, month, day }), undefined, true);
  return withTime({ year, month, day }, trimmed.slice(dateText.length + 1).trim());
}

function withTime(date: { year: number; month: number; day: number }, text: string): WrittenTime | undefined {
  const from = text.search(/[Zz+-]/);
  const time = numbersIn(TIME, from < 0 ? text : text.slice(0, from).trimEnd());
  const offsetMs = from < 0 ? undefined : parseOffset(text.slice(from));
  if (!time || (from >= 0 && offsetMs === undefined)) return undefined;
  const [hour, minute, second] = time;
  return timed(wallOf(date, { hour, minute, second }), offsetMs, false);
}

/** "Z", "+08:00", "+0800" or "+08" in milliseconds. */
export function parseOffset(text: string): number | undefined {
  if (text === "Z" || text === "z") return 0;
  const match = OFFSET.exec(text);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes >= 24 * 60 || Number(match[3] ?? 0) > 59) return undefined;
  return minutes === 0 ? 0 : (match[1] === "-" ? -1 : 1) * minutes * MINUTE_MS;
}

function timed(wall: Wall | undefined, offsetMs: number | undefined, dateOnly: boolean): WrittenTime | undefined {
  return wall === undefined ? undefined : { wall, offsetMs, dateOnly };
}

/** What stands in the groups, absent ones as zero. */
function numbersIn(pattern: RegExp, text: string): number[] | undefined {
  return pattern
    .exec(text)
    ?.slice(1)
    .map((digits) => Number(digits ?? 0));
}
