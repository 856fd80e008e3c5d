/** A conformance server of some SDK as a child process that listens on a port of this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/processes.ts";
import { cleanEnvironment } from "../support/spawn-zaguan.ts";

const START_LIMIT_MS = 60_000;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Resolves when the port is open. */
export async function startServer({ command, args }: Command, port: number): Promise<RunningServer> {
  const child = spawn(command, args, { env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-10_000)));
  }
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const limit = performance.now() + START_LIMIT_MS;
  while (!(await isOpen(port))) {
    if (hasEnded() || performance.now() > limit) throw new Error(`${command} ${args.join(" ")} did not start: ${said}`);
    await sleep(50);
  }
  const close = async (): Promise<void> => {
    process.off("exit", end);
    end();
    await until(`${command} ends`, hasEnded);
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
