/** How far axes reach, how their numbers are written, and which points must be drawn as points, since no line leads to them. */
import { bytes, number, span } from "../../kit/format.ts";
import { t } from "../../kit/words.ts";
import type { Unit } from "./charts.ts";

const LEAST_SECONDS = 300;

/** What there is, but at least five minutes: two points on the whole width would promise more than they tell. */
export function timeRange(first: number, last: number): [number, number] {
  return [Math.min(first, last - LEAST_SECONDS), last];
}

/** The least that the axis of values reaches, so that a nought is a line at the bottom and not in the middle. */
const LEAST: Readonly<Record<Unit, number>> = { perSecond: 1, ms: 1, count: 4, bytes: 10_000_000 };

/** From nought, with some air above. */
export function valueRange(highest: number | null | undefined, unit: Unit): [number, number] {
  return [0, Math.max(LEAST[unit], (highest ?? 0) * 1.1)];
}

/** Those with a gap on either side. */
export function lonelyOf(values: ArrayLike<number | null | undefined>): number[] {
  const isGap = (place: number): boolean => values[place] === null || values[place] === undefined;
  const found: number[] = [];
  for (let place = 0; place < values.length; place++) {
    if (!isGap(place) && isGap(place - 1) && isGap(place + 1)) found.push(place);
  }
  return found;
}

/** A colour that one sees through. */
export function thin(colour: string): string {
  return colour.replace(/^rgb\(([^)]*)\)$/, "rgba($1, 0.14)");
}

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  perSecond: (value) => t("figures.perSecond", { value: number(value, digitsOf(value)) }),
  ms: (value) => (value === 0 ? "0 ms" : span(value)),
  count: (value) => number(value, 1),
  bytes,
};

/** A number with its unit, as the reader's language writes it; a dash where nothing was measured. */
export function withUnit(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? "–" : FORMATS[unit](value);
}

function digitsOf(value: number): number {
  if (value === 0 || value >= 100) return 0;
  return value < 1 ? 2 : 1;
}
