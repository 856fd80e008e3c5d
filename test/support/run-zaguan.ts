/** Runs a command of ours to its end and tells what it said. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cleanEnvironment, zaguanCommand } from "./spawn-zaguan.ts";

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const LIMIT_MS = 90_000;

/** One that does not end by itself is killed, and has no exit code. */
export async function runZaguan(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const { command, args: words } = zaguanCommand(...args);
  const child = spawn(command, words, { cwd, env: cleanEnvironment(env), stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child, "close");
  clearTimeout(timer);
  return { code: child.exitCode, stdout, stderr };
}
