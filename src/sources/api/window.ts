/** The part of a long text that is shown, and what is said of the rest. */

export interface Ways {
  /** Whether `_offset` and `_pick` can be given to the tool that is answered. */
  readonly offset: boolean;
  readonly pick: boolean;
}

export interface Shown {
  readonly text: string;
  readonly notice: string | undefined;
}

export function show(text: string, offset: number, most: number, ways: Ways): Shown {
  const from = onCharacter(text, Math.min(offset, text.length));
  if (from === 0 && text.length <= most) return { text, notice: undefined };
  const cut = onCharacter(text, from + most);
  const to = cut > from ? cut : Math.min(text.length, from + Math.max(most, 2));
  return { text: text.slice(from, to), notice: noticeOf(from, to, text.length, ways) };
}

function noticeOf(from: number, to: number, length: number, ways: Ways): string {
  const where = `[characters ${from} to ${to} of ${length}`;
  if (to === length) return `${where}; this is the end]`;
  const next = ways.offset ? [`call again with _offset=${to} for the next part`] : [];
  const pick = ways.pick ? ["give _pick, a JSONPath such as $.items[*].name, to get only what you need"] : [];
  const hint = [...next, ...pick].join(", or ");
  return hint === "" ? `${where}; the rest was cut]` : `${where}; the answer was cut: ${hint}]`;
}

/** Not between the two halves of one. */
function onCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length);
}
