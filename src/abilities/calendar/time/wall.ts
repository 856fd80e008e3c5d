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
