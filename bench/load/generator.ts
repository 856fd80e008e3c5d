/** The bench's end of the load generator. */
import { fork } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Load, Order, Report, Stretch } from "./protocol.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

export class Generator {
  readonly #child = fork(MAIN, {
    execArgv: process.execArgv,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Keeps what is not a number, as a median of nothing is.
    serialization: "advanced",
  });
  readonly #waiting = new Map<number, (report: Report) => void>();
  #next = 1;

  constructor() {
    this.#child.on("message", (report: Report) => {
      this.#waiting.get(report.number)?.(report);
      this.#waiting.delete(report.number);
    });
    this.#child.on("exit", (code) => {
      for (const [number, tell] of this.#waiting) tell({ number, failure: `the generator ended (${code})` });
    });
  }

  async open(key: string, load: Load): Promise<void> {
    await this.#order({ order: "open", key, load });
  }

  run(key: string, seconds: number): Promise<Stretch> {
    return this.#order({ order: "run", key, seconds }) as Promise<Stretch>;
  }

  /** Opens so many idle sessions. */
  async fill(url: string, sessions: number): Promise<void> {
    await this.#order({ order: "fill", url, sessions });
  }

  async close(key: string): Promise<void> {
    await this.#order({ order: "close", key });
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  #order(order: Order): Promise<Stretch | null> {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error("the generator is gone"));
      this.#waiting.set(number, (report) => {
        if ("failure" in report) reject(new Error(report.failure));
        else resolve(report.result);
      });
      this.#child.send({ ...order, number });
    });
  }
}
