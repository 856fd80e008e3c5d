/** Text for terminals: how wide it is, how it is cut, and how it is kept from steering the terminal or hiding something. */
import { visible } from "../protocol/text/hidden.ts";

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
