/** The house understood and says no, or a call makes no sense there: told as the tool's own result, with these words. */
export class Refusal extends Error {
  constructor(words: string) {
    super(tidy(words));
  }
}

const MOST_CHARACTERS = 1_000;

/** Home Assistant's own words, on one line and of a length to read. */
function tidy(words: string): string {
  const line = words.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS).toWellFormed()}…` : line;
}
