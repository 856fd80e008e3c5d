/** Runs a program to its end and tells what it said. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { cleanEnvironment } from "../../support/spawn-zaguan.ts";

/** No program here needs it; a hanging one ends the test with what it said so far. */
const LIMIT_MS = 120_000;

export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface Ran {
  /** Null if it had to be killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: cleanEnvironment(options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  try {
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: code as number | null, stdout, stderr };
  } finally {
    clearTimeout(limit);
  }
}
