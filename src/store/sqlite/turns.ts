/**
 * One after the other, in the order of their coming: a transaction has its file for itself until it is over. All connections
 * of this process to one file share their turns: SQLite makes a second writer wait by stopping its thread, and in the same
 * thread the first could never end.
 */
import { realpathSync } from "node:fs";

const byFile = new Map<string, Turns>();

/** The file must be there. Turns are never forgotten: a process opens few files. */
export function turnsOf(file: string): Turns {
  const path = realpathSync(file);
  const known = byFile.get(path) ?? new Turns();
  byFile.set(path, known);
  return known;
}

export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Undefined where it is free: whoever finds it so need not wait at all. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return undefined;
  }

  /** Hands it to the next one, and stays taken then, so that nobody gets in between. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
