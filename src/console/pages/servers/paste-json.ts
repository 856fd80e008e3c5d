/**
 * JSON as people keep it in configuration files and copy it out of manuals: with comments, with a comma too many, with a
 * fence of Markdown around it, or without the outermost braces.
 */
import { faultIn, type Place } from "./paste-fault.ts";

type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly at: Place };

const FENCE = /^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/;
const TEXT = '"(?:[^"\\\\\\n]|\\\\.)*"';
const TEXT_OR_COMMENT = new RegExp(`${TEXT}|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, "g");
const TEXT_OR_LAST_COMMA = new RegExp(`${TEXT}|,(?=\\s*[}\\]])`, "g");

export function readJson(written: string): ReadJson {
  const text = written.replace(/^\uFEFF/, "").replace(FENCE, "$1");
  const plain = text.replace(TEXT_OR_COMMENT, keepText(blank)).replace(/[\s,;]+$/, "");
  const isPiece = /^\s*"[^"\n]*"\s*:/.test(plain);
  const whole = (isPiece ? `{${plain}}` : plain).replace(TEXT_OR_LAST_COMMA, keepText(blank));
  try {
    return { ok: true, value: JSON.parse(whole) };
  } catch {
    const { line, column } = faultIn(whole);
    // The brace in front of a piece is ours.
    return { ok: false, at: { line, column: isPiece && line === 1 ? column - 1 : column } };
  }
}

function keepText(change: (found: string) => string): (found: string) => string {
  return (found) => (found.startsWith('"') ? found : change(found));
}

/** As long as what it replaces, so that places stay what they are. */
function blank(found: string): string {
  return found.replace(/[^\n]/g, " ");
}
