/** Figures as people read them. */
import type { Spread } from "../statistics.ts";

/** Three digits that count, and no more than two behind the point. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export function spread({ median, min, max }: Spread): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}

export function milliseconds(value: number): string {
  return Number.isFinite(value) ? `${value < 10 ? value.toFixed(3) : value.toFixed(1)} ms` : "–";
}

/** Columns of equal width; all but the first are set to the right. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
