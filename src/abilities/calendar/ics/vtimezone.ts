/**
 * VTIMEZONE out of what the platform knows: RFC 5545 wants one for every TZID, and readers without a list of zones of their
 * own need it. Every change of the clock in the years in question is written down, rather than a rule guessed at.
 */
import { basicOf, DAY_MS, HOUR_MS, MINUTE_MS } from "../time/wall.ts";
import type { Zone } from "../time/zone.ts";

interface ClockChange {
  /** Instant. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Shorter than any summer time. */
const STEP_MS = 7 * DAY_MS;

/** For instants from the first to the second. */
export function timeZoneLines(zone: Zone, tzid: string, from: number, to: number): string[] {
  const first = zone.offsetAt(from);
  const changes = [{ at: from, before: first, after: first }, ...changesOf(zone, from, to)];
  const least = Math.min(...changes.map(({ after }) => after));
  return [
    "BEGIN:VTIMEZONE",
    `TZID:${tzid}`,
    ...changes.flatMap((change) => observance(change, change.after > least ? "DAYLIGHT" : "STANDARD")),
    "END:VTIMEZONE",
  ];
}

function observance({ at, before, after }: ClockChange, kind: "STANDARD" | "DAYLIGHT"): string[] {
  // The beginning is told by the clock that nobody has put forward yet.
  const start = `DTSTART:${basicOf(Math.floor((at + before) / MINUTE_MS) * MINUTE_MS)}`;
  return [`BEGIN:${kind}`, start, `TZOFFSETFROM:${offset(before)}`, `TZOFFSETTO:${offset(after)}`, `END:${kind}`];
}

function changesOf(zone: Zone, from: number, to: number): ClockChange[] {
  const changes: ClockChange[] = [];
  for (let start = from; start < to; start += STEP_MS) {
    const [before, after] = [zone.offsetAt(start), zone.offsetAt(start + STEP_MS)];
    if (before !== after) changes.push({ at: changeBetween(zone, start, start + STEP_MS), before, after });
  }
  return changes;
}

/** The first instant that is not as at the beginning. */
function changeBetween(zone: Zone, from: number, to: number): number {
  const before = zone.offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** "+0530"; seconds, of the times before there were zones, are left out. */
function offset(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS);
  const hours = Math.floor((minutes * MINUTE_MS) / HOUR_MS);
  return `${ms < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(minutes % 60).padStart(2, "0")}`;
}
