/** The last lines of a log, bounded in number and in characters. */

export class LogTail {
  readonly #maxLines: number;
  readonly #maxCharacters: number;
  readonly #lines: string[] = [];
  #characters = 0;

  constructor(maxLines: number, maxCharacters: number) {
    this.#maxLines = maxLines;
    this.#maxCharacters = maxCharacters;
  }

  /** The oldest lines make room; a line that alone is too long is cut. */
  add(line: string): void {
    const kept = line.length > this.#maxCharacters ? line.slice(0, this.#maxCharacters) : line;
    this.#lines.push(kept);
    this.#characters += kept.length;
    while (this.#lines.length > this.#maxLines || this.#characters > this.#maxCharacters) {
      this.#characters -= this.#lines.shift()?.length ?? 0;
    }
  }

  /** Oldest first; a copy. */
  lines(): string[] {
    return [...this.#lines];
  }
}
