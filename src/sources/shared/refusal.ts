/**
 * A source understood a call and says no, or the call makes no sense there: told as the tool's own result, with these words,
 * and where we know it, with what can be done instead.
 */
export class Refusal extends Error {
  readonly advice: string | undefined;
  /** The source's own word for what kind of failure it is. */
  readonly code: unknown;

  constructor(words: string, advice?: string, code?: unknown) {
    super(tidy(words));
    this.advice = advice && tidy(advice);
    this.code = code;
  }
}

const MOST_CHARACTERS = 1_000;

/** The source's own words, on one line and of a length to read. */
function tidy(words: string): string {
  const line = words.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS).toWellFormed()}…` : line;
}
