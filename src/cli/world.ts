/** The process around a command: its environment, its two outputs, and who can be asked. Tests hand in their own. */
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline/promises";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Asks whoever sits at the terminal; absent where there is none. */
  ask?(question: string): Promise<string>;
}

export function processWorld(): World {
  const { env, stdin, stdout, stderr } = process;
  return { env, stdout, stderr, ...(stdin.isTTY && stderr.isTTY && { ask: askAtTerminal }) };
}

/** An end of the input (Ctrl+D) is an empty answer. */
async function askAtTerminal(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = once(lines, "close").then(() => "");
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}
