/** A command of ours as a child that talks in lines: whatever it prints is kept in order, parsed, and counted if it is no JSON. */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnvironment, zaguanCommand } from "./spawn-zaguan.ts";

export class LineChild {
  readonly folder: string = mkdtempSync(join(tmpdir(), "zaguan-lines-"));
  /** Lines on stdout that are no JSON object. */
  readonly impure: string[] = [];
  stderr = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #killAtExit = (): void => void this.#child.kill("SIGKILL");
  #rest = "";
  #onMessage: (message: Record<string, unknown>) => void = () => {};

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { command, args: words } = zaguanCommand(...args, "--data", join(this.folder, "data"));
    this.#child = spawn(command, words, { cwd: this.folder, env: cleanEnvironment(env), stdio: "pipe" });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.#child.stdin.on("error", () => {});
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => this.#split(text));
    process.once("exit", this.#killAtExit);
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  onMessage(take: (message: Record<string, unknown>) => void): void {
    this.#onMessage = take;
  }

  /** Resolves when the pipe can take more. */
  async write(bytes: Buffer | string): Promise<void> {
    this.#child.stdin.write(bytes);
    while (this.#child.stdin.writableNeedDrain && this.running) await sleep(1);
  }

  /** Ends its input, and resolves with its exit code when it has gone. */
  async end(): Promise<number | null> {
    const exited = this.running ? once(this.#child, "close") : undefined;
    this.#child.stdin.end();
    await exited;
    process.off("exit", this.#killAtExit);
    rmSync(this.folder, { recursive: true, force: true });
    return this.#child.exitCode;
  }

  /** For the end of a test that failed. */
  kill(): void {
    this.#child.kill("SIGKILL");
    process.off("exit", this.#killAtExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  assertRunning(): void {
    assert.ok(
      this.running,
      `it ended (${this.#child.exitCode ?? this.#child.signalCode}) and said:\n${this.stderr.slice(-2_000)}`,
    );
  }

  /** At newlines alone: `node:readline` would also cut at U+2028, which may stand in JSON. */
  #split(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    try {
      const message: unknown = JSON.parse(line);
      assert.ok(typeof message === "object" && message !== null);
      this.#onMessage(message as Record<string, unknown>);
    } catch {
      this.impure.push(line.slice(0, 200));
    }
  }
}
