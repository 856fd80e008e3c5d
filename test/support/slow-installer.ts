/**
 * A program named `npx` whose installations take as long as the test wants: `npx -y PACKAGE` logs each line that the test gives
 * it, and becomes a real MCP server with one tool, or fails, when the test says so.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("coercing-server.mjs", import.meta.url));

export interface Installation {
  log(line: string): void;
  becomeReady(): void;
  /** With exit code 7. */
  fail(): void;
}

export class SlowInstaller {
  readonly #folder = mkdtempSync(join(tmpdir(), "zaguan-npx-"));
  readonly #pipes: number[] = [];

  constructor() {
    // What came of it holds for every later start, as with a real one: the hub starts a program more than once.
    const script = [
      "#!/bin/sh",
      `end="${this.#folder}/$2.end"`,
      `exec 3<"${this.#folder}/$2.steps"`,
      'while [ ! -e "$end" ] && read -r line <&3; do case $line in',
      '(READY|FAIL) echo "$line" > "$end" ;;',
      '(*) echo "$line" >&2 ;;',
      "esac; done",
      "exec 3<&-",
      'grep -q READY "$end" || exit 7',
      `exec "${process.execPath}" "${SERVER}"`,
      "",
    ];
    writeFileSync(join(this.#folder, "npx"), script.join("\n"), { mode: 0o755 });
  }

  /** With it, `npx` is this one. */
  get path(): string {
    return `${this.#folder}:${process.env["PATH"]}`;
  }

  /** To be called before `npx -y NAME` runs. */
  package(name: string): Installation {
    const file = join(this.#folder, `${name}.steps`);
    execFileSync("mkfifo", [file]);
    // For reading too: so that neither side waits for the other to open it.
    const pipe = openSync(file, "r+");
    this.#pipes.push(pipe);
    const log = (line: string): void => void writeSync(pipe, `${line}\n`);
    return { log, becomeReady: () => log("READY"), fail: () => log("FAIL") };
  }

  close(): void {
    for (const pipe of this.#pipes) closeSync(pipe);
    rmSync(this.#folder, { recursive: true });
  }
}
