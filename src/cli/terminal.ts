/** Colours and tables, for terminals only: a pipe gets plain text that is never cut. */
import { cut, displayWidth, padEnd, plainLine } from "./text.ts";
import type { Output, World } from "./world.ts";

type Colour = "bold" | "dim" | "red" | "green" | "yellow";

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};
const GAP = "  ";
/** Where a terminal does not say how wide it is. */
const USUAL_COLUMNS = 80;
/** The last column keeps at least this much, even if lines wrap then. */
const LEAST_LAST = 10;

/** NO_COLOR counts when it is not empty, as its convention says. */
export function paint(text: string, colour: Colour, output: Output, env: World["env"]): string {
  if (!output.isTTY || env["NO_COLOR"] || env["TERM"] === "dumb") return text;
  const [on, off] = CODES[colour];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** A heading and rows in columns; the last column is cut where a terminal ends. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], world: World): string {
  const cells = [heading, ...rows].map((row) => row.map(plainLine));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? ""))));
  const lines = cells.map((row) => line(row, widths, columnsOf(world.stdout)));
  lines[0] = paint(lines[0] ?? "", "bold", world.stdout, world.env);
  return `${lines.join("\n")}\n`;
}

function line(row: readonly string[], widths: readonly number[], columns: number): string {
  const last = row.length - 1;
  const before = row.slice(0, last).map((cell, column) => padEnd(cell, widths[column] ?? 0) + GAP);
  const room = columns - before.reduce((sum, cell) => sum + displayWidth(cell), 0);
  return (before.join("") + cut(row[last] ?? "", Math.max(room, LEAST_LAST))).trimEnd();
}

function columnsOf(output: Output): number {
  return output.isTTY ? output.columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY;
}
