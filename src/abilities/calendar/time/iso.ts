/** Reads the times that callers write: ISO 8601 as Python's `fromisoformat` takes it, with a zone or without. */
import { MINUTE_MS, type Wall, wallOf } from "./wall.ts";

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

/** Undefined where it is no such time. Fractions of a second are left out. */
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
