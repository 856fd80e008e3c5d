/** What is under way, on a line that changes where there is a terminal; what is done, on a line that stays. */
import process from "node:process";
import { spinner } from "../../src/cli/progress.ts";

export class Steps {
  readonly #waiting = new Set<string>();
  readonly #line = spinner(process.stderr, "", 0);

  /** Does it, and says so with the time it took. */
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
