/** Runs a program that installs or builds something, and where what it makes is kept between runs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/sdks", import.meta.url));
/** Enough for a compiler on a busy machine; a registry that does not answer is given up. */
const LIMIT_MS = 900_000;

/** A toolchain that this machine lacks. The rows that need it are skipped; any other failure fails them. */
export class Missing extends Error {}

export function inCache(...names: readonly string[]): string {
  return join(CACHE, ...names);
}

/** Throws with the end of what it said unless it ends well, and `Missing` where there is no such program. */
export async function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4_000)));
  }
  const [code] = await once(child, "close").catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "ENOENT" ? new Missing(`there is no ${command} on this machine`) : cause;
  });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed (${code}):\n${said}`);
}
