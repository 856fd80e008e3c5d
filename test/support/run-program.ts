/** Runs a program to its end and tells what it said; one that hangs is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { cleanEnvironment } from "./spawn-zaguan.ts";

export interface Ran {
  /** Null if it had to be killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

/** Rejects if there is no such program. */
export async function runProgram(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, env, limitMs = 60_000 } = options;
  const child = spawn(command, args, { cwd, env: cleanEnvironment(env), stdio: ["ignore", "pipe", "pipe"] });
  const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
  try {
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: code as number | null, stdout, stderr };
  } finally {
    clearTimeout(limit);
  }
}

/** Undefined if it went well, or the last line of its complaint. */
export async function complaintOf(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string | undefined> {
  try {
    const { code, stdout, stderr } = await runProgram(command, args, options);
    return code === 0 ? undefined : `${stdout}${stderr}`.trim().split("\n").at(-1) || `exit code ${code}`;
  } catch (error) {
    return (error as Error).message;
  }
}
