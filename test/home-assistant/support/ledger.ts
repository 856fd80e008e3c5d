/**
 * A service of the real house that writes down each of its runs, by number, in a file: what was written stays written when
 * the house is killed, so that nobody has to believe anybody about how often a call ran.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** So that some calls are always under way: written down, and not yet answered. */
const LASTS_SECONDS = 0.2;

export class Ledger {
  readonly #folder = mkdtempSync(join(tmpdir(), "zaguan-ledger-"));
  readonly #file: string = join(this.#folder, "runs");

  /** For the house's configuration: the service is `shell_command.mark` and takes `n`. */
  get yaml(): string {
    const script = `echo "$0" >> "$1"; exec sleep ${LASTS_SECONDS}`;
    return `shell_command:\n  mark: >-\n    sh -c '${script}' {{ n }} ${this.#file}\n`;
  }

  /** The numbers, in the order in which they ran. */
  runs(): number[] {
    const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
    return text.split("\n").filter(Boolean).map(Number);
  }

  runsOf(wanted: number): number {
    return this.runs().filter((n) => n === wanted).length;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
