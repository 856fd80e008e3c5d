/** A copy of the tree in which files are changed and tests are run; the tree itself is never touched. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

export interface TestRun {
  readonly passed: boolean;
  readonly isTooLong: boolean;
  readonly ms: number;
}

export class TreeCopy {
  readonly folder: string = mkdtempSync(join(tmpdir(), "zaguan-mutate-"));
  readonly #running = new Set<ChildProcess>();

  constructor() {
    const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    for (const file of listed.toString().split("\0")) {
      if (file && existsSync(file)) cpSync(file, join(this.folder, file), { recursive: true });
    }
    symlinkSync(resolve("node_modules"), join(this.folder, "node_modules"), "dir");
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  read(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(this.path(file), text);
  }

  /** Stops at the first file that fails. What takes longer is ended, with all that it started. */
  run(tests: readonly string[], limitMs: number, env: Readonly<Record<string, string>> = {}): Promise<TestRun> {
    const args = ["--test", "--test-reporter=dot", `--test-timeout=${limitMs}`, "--test-concurrency=2", ...tests];
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      stdio: "ignore",
      detached: true,
      env: { ...process.env, ...env },
    });
    this.#running.add(child);
    return new Promise((tell) => {
      let isTooLong = false;
      const timer = setTimeout(() => {
        isTooLong = true;
        endGroup(child);
      }, limitMs);
      child.on("close", (code) => {
        clearTimeout(timer);
        endGroup(child);
        this.#running.delete(child);
        tell({ passed: code === 0, isTooLong, ms: performance.now() - startedAt });
      });
    });
  }

  remove(): void {
    for (const child of this.#running) endGroup(child);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

/** The longest common folder counts, and a test that bears the file's own name most. */
export function nearness(test: string, file: string): number {
  if (test === file.replace(/\.ts$/, ".test.ts")) return 1_000;
  const [mine, its] = [dirname(test).split("/"), dirname(file).split("/")];
  const differs = its.findIndex((part, depth) => mine[depth] !== part);
  return differs < 0 ? its.length : differs;
}
