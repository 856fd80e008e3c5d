/** The part of a long text that is shown, and what is said of the rest. */
import { type Language, say } from "../../messages/catalogue.ts";

export interface Ways {
  /** Whether `_offset` and `_pick` can be given to the tool that is answered. */
  readonly offset: boolean;
  readonly pick: boolean;
}

interface Shown {
  readonly text: string;
  readonly notice: string | undefined;
}

export function show(text: string, offset: number, most: number, ways: Ways, language: Language = "en"): Shown {
  const from = onCharacter(text, Math.min(offset, text.length));
  if (from === 0 && text.length <= most) return { text, notice: undefined };
  const cut = onCharacter(text, from + most);
  const to = cut > from ? cut : Math.min(text.length, from + Math.max(most, 2));
  return { text: text.slice(from, to), notice: noticeOf(from, to, text.length, ways, language) };
}

function noticeOf(from: number, to: number, length: number, ways: Ways, language: Language): string {
  const where = { from, to, length };
  if (to === length) return say(language, "api.partEnd", where);
  const next = ways.offset ? [say(language, "api.wayOffset", { to })] : [];
  const pick = ways.pick ? [say(language, "api.wayPick")] : [];
  const [one, other] = [...next, ...pick];
  if (one === undefined) return say(language, "api.partCut", where);
  const both = other === undefined ? one : say(language, "api.wayBoth", { one, other });
  return say(language, "api.partNext", { ...where, ways: both });
}

/** Not between the two halves of one. */
function onCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length);
}
