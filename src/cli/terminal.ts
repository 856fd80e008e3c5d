/**
 * Text for terminals: how wide it is, how it is cut, how it is kept from steering the terminal or hiding something, and
 * colours and tables. A pipe gets plain text that is never cut.
 */
import { visible } from "../protocol/text/hidden.ts";
import type { Output, World } from "./command.ts";

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** Control characters but for line ends and tabs, and those that turn the direction of writing. */
const STEERING_IN_TEXT = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const DOUBLE_WIDTH =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303E\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]$/u;
const ELLIPSIS = "…";

/** In columns of a terminal, where Chinese, Japanese and Korean characters take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** At most `width` columns; what was cut off is shown by an ellipsis. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let room = width - displayWidth(ELLIPSIS);
  for (const character of text) {
    room -= characterWidth(character);
    if (room < 0) break;
    kept += character;
  }
  return width > 0 ? kept.trimEnd() + ELLIPSIS : "";
}

/** One line whatever comes: what a server calls its tools must neither clear the screen nor hide what is in it. */
export function plainLine(text: string): string {
  return visible(text.replace(CONTROLS, " ")).trimEnd();
}

/** Several lines, harmless to a terminal. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(STEERING_IN_TEXT, "\uFFFD");
}

function characterWidth(character: string): number {
  if (character <= "~") return 1;
  if (NO_WIDTH.test(character)) return 0;
  return DOUBLE_WIDTH.test(character) ? 2 : 1;
}

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
