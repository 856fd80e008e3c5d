/** When events take place: each once, or every time that its series has it. */
import { type CalendarEvent, isAllDay, keptWall, type Series, zoneOf } from "./event.ts";
import { type Budget, expand } from "./series/expand.ts";
import { parseRule } from "./series/rule.ts";
import { DAY_MS, isoDateOf, isoOf, type Wall } from "./time/wall.ts";
import { FARTHEST_MS, type Zone } from "./time/zone.ts";

export interface Occurrence {
  readonly event: CalendarEvent;
  /** When it begins, as its own wall has it. */
  readonly wall: Wall;
  /** Instants. */
  readonly start: number;
  readonly end: number;
}

/** Instants; from the first, up to the second and not with it. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How long a repeated event may take to be found by its end: further back, starts are not looked for. */
const LONGEST_REPEATED_MS = 400 * DAY_MS;

/** In no order. What lies partly in the range belongs to it. */
export function occurrencesIn(
  events: readonly CalendarEvent[],
  range: Range,
  house: Zone,
  budget: Budget,
): Occurrence[] {
  return events.flatMap((event) => occurrencesOf(event, range, house, budget));
}

export function occurrencesOf(event: CalendarEvent, range: Range, house: Zone, budget: Budget): Occurrence[] {
  const first = keptWall(event.start);
  const length = Math.max(0, keptWall(event.end) - first);
  const zone = isAllDay(event) ? house : zoneOf(event, house);
  const found: Occurrence[] = [];
  for (const wall of startsOf(event, first, length, range, budget)) {
    // Looking up a zone's offset is slow: starts far outside of the range are skipped before.
    if (wall - FARTHEST_MS >= range.to || wall + length + FARTHEST_MS < range.from) continue;
    const [start, end] = [zone.instantOf(wall), zone.instantOf(wall + length)];
    if (start < range.to && (end > range.from || start >= range.from)) {
      found.push({ event, wall, start, end });
    }
  }
  return found;
}

/** As the event keeps its own start. */
export function keptForm(event: Pick<CalendarEvent, "start">, wall: Wall): string {
  return isAllDay(event) ? isoDateOf(wall) : isoOf(wall);
}

function* startsOf(event: CalendarEvent, first: Wall, length: number, range: Range, budget: Budget): Generator<Wall> {
  const { series } = event;
  if (!series) return yield first;
  const left = new Set([...(series.without ?? []), ...(series.elsewhere ?? [])]);
  const lookBack = FARTHEST_MS + Math.min(length, LONGEST_REPEATED_MS);
  const near = { from: range.from - lookBack, to: range.to + FARTHEST_MS };
  for (const wall of new Set([...ruled(series, first, near, budget), ...(series.also ?? []).map(keptWall)])) {
    if (left.size === 0 || !left.has(keptForm(event, wall))) yield wall;
  }
}

function* ruled(series: Series, first: Wall, near: Range, budget: Budget): Generator<Wall> {
  const rule = series.rule === undefined || series.unexpanded ? undefined : parseRule(series.rule);
  if (!rule) return yield first;
  const last = series.last === undefined ? near.to : Math.min(keptWall(series.last), near.to);
  for (const wall of expand(rule, first, { from: near.from, to: last }, budget)) {
    if (wall > last) return;
    if (wall >= near.from) yield wall;
  }
}
