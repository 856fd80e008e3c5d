/**
 * Places and their clocks, out of what the platform knows of time zones. An hour that comes twice is its first coming, and
 * one that is left out is told by the clock that nobody has put forward yet: so RFC 5545 has it.
 */
import { DAY_MS, HOUR_MS, isoOf, MINUTE_MS, SECOND_MS, type Wall, wallOf } from "./wall.ts";

export interface Zone {
  /** "Europe/Madrid", "UTC", "+05:30". */
  readonly name: string;
  /** Milliseconds ahead of UTC. */
  offsetAt(instant: number): number;
  wallAt(instant: number): Wall;
  instantOf(wall: Wall): number;
}

type OffsetAt = Zone["offsetAt"];

/** A file of strangers may name hundreds; a formatter is a heavy thing. */
const MOST_KEPT = 64;
const MOST_BLOCKS_KEPT = 4_096;

/** No clock is further from UTC. */
export const FARTHEST_MS: number = 16 * HOUR_MS;

const kept = new Map<string, Zone>();

/** Undefined where the platform knows no such zone. */
export function zoneNamed(name: string): Zone | undefined {
  const known = kept.get(name);
  if (known) return known;
  const zone = makeZone(name);
  if (!zone) return undefined;
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(name, zone);
  return zone;
}

/** The one of this machine. */
export function machineZone(): Zone {
  return zoneNamed(new Intl.DateTimeFormat("en").resolvedOptions().timeZone) ?? UTC;
}

/** What the clock of a place shows at an instant, as Python writes it: "2026-07-01T10:00:00.123". */
export function localIso(instant: number, zone: Zone): string {
  return isoOf(zone.wallAt(instant));
}

export const UTC: Zone = fixedZone("UTC", 0);

/** A zone that never puts its clock forward, by the name the platform has for it: "+05:30". */
export function fixedZoneName(offsetMs: number): string {
  if (offsetMs === 0) return "UTC";
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function makeZone(name: string): Zone | undefined {
  if (/^(?:UTC|GMT|Etc\/UTC|Z)$/i.test(name)) return UTC;
  if (name.length > 100) return undefined;
  try {
    return clockZone(name, formatterOf(name));
  } catch {
    return undefined;
  }
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const date = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const time = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en-US", { timeZone, calendar: "iso8601", ...date, ...time });
}

function fixedZone(name: string, offsetMs: number): Zone {
  return {
    name,
    offsetAt: () => offsetMs,
    wallAt: (instant) => instant + offsetMs,
    instantOf: (wall) => wall - offsetMs,
  };
}

function clockZone(name: string, formatter: Intl.DateTimeFormat): Zone {
  const exact: OffsetAt = (instant) => {
    const second = Math.floor(instant / SECOND_MS) * SECOND_MS;
    return shownBy(formatter, second) - second;
  };
  const offsetAt = steady(exact, steady(exact, exact, DAY_MS), 7 * DAY_MS);
  return {
    name,
    offsetAt,
    wallAt: (instant) => instant + offsetAt(instant),
    instantOf: (wall) => instantOf(offsetAt, wall),
  };
}

/**
 * Asking the platform is slow, and in nearly every week, and on nearly every day of the others, nobody touches the clock:
 * those are remembered.
 */
function steady(exact: OffsetAt, finer: OffsetAt, blockMs: number): OffsetAt {
  const blocks = new Map<number, number>();
  return (instant) => {
    const block = Math.floor(instant / blockMs);
    const known = blocks.get(block);
    if (known !== undefined) return known;
    const offset = exact(block * blockMs);
    if (offset !== exact((block + 1) * blockMs)) return finer(instant);
    if (blocks.size >= MOST_BLOCKS_KEPT) blocks.clear();
    blocks.set(block, offset);
    return offset;
  };
}

/** A day before and a day after lie on either side of a change, if there is one near. */
function instantOf(offsetAt: OffsetAt, wall: Wall): number {
  const before = offsetAt(wall - DAY_MS);
  const after = offsetAt(wall + DAY_MS);
  if (before === after || offsetAt(wall - before) === before) return wall - before;
  return offsetAt(wall - after) === after ? wall - after : wall - before;
}

function shownBy(formatter: Intl.DateTimeFormat, instant: number): Wall {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatter.formatToParts(instant)) shown[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  // Beyond the years that we count there is nothing to find out.
  return wallOf({ year, month, day }, { hour, minute, second }) ?? instant;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
