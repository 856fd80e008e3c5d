/** iCalendar's lengths of time (RFC 5545 §3.3.6): "-PT15M", "P1DT2H", "P2W". */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../time/wall.ts";

const DURATION = /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;
const UNITS = [7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/** In milliseconds; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text.trim().toUpperCase());
  if (!match) return undefined;
  const amounts = match.slice(2);
  if (amounts.every((amount) => amount === undefined)) return undefined;
  const total = UNITS.reduce((sum, unit, index) => sum + unit * Number(amounts[index] ?? 0), 0);
  return total === 0 ? 0 : (match[1] === "-" ? -1 : 1) * total;
}

/** So many minutes before. */
export function triggerOf(minutesBefore: number): string {
  return `${minutesBefore > 0 ? "-" : ""}PT${Math.abs(minutesBefore)}M`;
}
