/** The process around a command: its environment and its two outputs. Tests hand in their own. */
import process from "node:process";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
}

export function processWorld(): World {
  return { env: process.env, stdout: process.stdout, stderr: process.stderr };
}
