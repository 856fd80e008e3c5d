/** Prints the progress of a start: running steps on one updated line (in a terminal), and a line for each finished step. */
import process from "node:process";
import { spinner } from "../../src/cli/progress.ts";

export class Steps {
  readonly #waiting = new Set<string>();
  readonly #line = spinner(process.stderr, "", 0);

  /** Runs a step, and prints its name and duration when it is done. */
  async of<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    this.#waiting.add(what);
    this.#show();
    try {
      const result = await work();
      this.#line.clear();
      console.log(`✓ ${what} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
      return result;
    } finally {
      this.#waiting.delete(what);
      this.#show();
    }
  }

  end(): void {
    this.#line.stop();
  }

  #show(): void {
    if (this.#waiting.size > 0) this.#line.step([...this.#waiting].join(", "));
    else this.#line.clear();
  }
}
