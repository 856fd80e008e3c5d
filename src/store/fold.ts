/** Text without its case, for names that are unique and texts that are searched. Databases disagree on case; this does not. */

/** Two spellings that look alike on the screen, composed or not, give the same. */
export function foldCase(text: string): string {
  // The small final sigma depends on what follows, so a part of a word would not be found in the whole.
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

/** What a search looks for, the longest word first: it rules out the most. */
export function foldedWords(search: string): readonly string[] {
  const words = foldCase(search).split(/\s+/u);
  return words.filter((word) => word !== "").sort((one, other) => other.length - one.length);
}
