/**
 * A program named `npx` that takes as long over its installation as the test wants: it logs each line that the test gives it,
 * and becomes a real MCP server with one tool, or fails, when the test says so.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("coercing-server.mjs", import.meta.url));

export class SlowInstaller {
  readonly #folder = mkdtempSync(join(tmpdir(), "zaguan-npx-"));
  readonly #pipe: number;

  constructor() {
    const pipe = join(this.#folder, "steps");
    execFileSync("mkfifo", [pipe]);
    // For both: so that neither side waits for the other to open it.
    this.#pipe = openSync(pipe, "r+");
    const script = [
      ...["#!/bin/sh", `exec 3<"${pipe}"`, "while read -r line <&3; do case $line in"],
      `(READY) exec "${process.execPath}" "${SERVER}" 3<&- ;;`,
      ...["(FAIL) exit 7 ;;", '(*) echo "$line" >&2 ;;', "esac; done", ""],
    ];
    writeFileSync(join(this.#folder, "npx"), script.join("\n"), { mode: 0o755 });
  }

  /** With it in front, `npx` is this one. */
  get path(): string {
    return `${this.#folder}:${process.env["PATH"]}`;
  }

  log(line: string): void {
    writeSync(this.#pipe, `${line}\n`);
  }

  becomeReady(): void {
    this.log("READY");
  }

  fail(): void {
    this.log("FAIL");
  }

  close(): void {
    closeSync(this.#pipe);
    rmSync(this.#folder, { recursive: true });
  }
}
