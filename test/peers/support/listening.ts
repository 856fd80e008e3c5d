/** A program of the peers that listens on a port, as a child of the test. */
import { spawn } from "node:child_process";
import process from "node:process";
import { until } from "../../support/processes.ts";
import { cleanEnvironment } from "../../support/spawn-zaguan.ts";

export { freePort } from "../../support/mqtt/mosquitto.ts";

export interface Listening {
  /** All that it said so far. */
  said(): string;
  /** Asks it to end, so that it can end what it started itself, and waits for that. */
  close(): Promise<void>;
}

/** Resolves when it has said that it is ready. */
export async function listen(
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Listening> {
  const child = spawn(process.execPath, args, { env: cleanEnvironment(env), stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const end = (): void => void child.kill();
  process.once("exit", end);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await until(`${args[0]} listens`, () => ready.test(said) || hasEnded());
  if (hasEnded()) throw new Error(`${args[0]} did not start: ${said}`);
  const close = async (): Promise<void> => {
    process.off("exit", end);
    end();
    await until(`${args[0]} ends`, hasEnded);
  };
  return { said: () => said, close };
}
