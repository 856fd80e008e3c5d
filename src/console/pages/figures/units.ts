/** Numbers with their units, as the reader's language writes them. */
import { bytes, number, span } from "../../kit/format.ts";
import { t } from "../../kit/words.ts";
import type { Unit } from "./charts.ts";

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  perSecond: (value) => t("figures.perSecond", { value: number(value, digitsOf(value)) }),
  ms: (value) => (value === 0 ? "0 ms" : span(value)),
  count: (value) => number(value, 1),
  bytes,
};

/** A dash where nothing was measured. */
export function withUnit(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? "–" : FORMATS[unit](value);
}

function digitsOf(value: number): number {
  if (value === 0 || value >= 100) return 0;
  return value < 1 ? 2 : 1;
}
