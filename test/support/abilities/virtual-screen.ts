/** An X server without a screen, with a background and windows that a test puts there. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { until } from "../processes.ts";

export interface VirtualScreen {
  /** ":7". */
  readonly display: string;
  /** Runs a program on it to its end, and gives what it wrote. */
  run(command: string, ...args: string[]): string;
  /** Shows a window; resolves when it is there. */
  show(title: string, command: string, ...args: string[]): Promise<void>;
  close(): Promise<void>;
}

/** Whether these programs are on this machine; those that are not, for the reason of a skipped test. */
export function missingPrograms(...names: readonly string[]): string[] {
  return names.filter((name) => {
    try {
      execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { stdio: "ignore" });
      return false;
    } catch {
      return true;
    }
  });
}

export async function openVirtualScreen(size: string): Promise<VirtualScreen> {
  const args = ["-displayfd", "3", "-screen", "0", `${size}x24`, "-nolisten", "tcp", "-noreset"];
  const server = spawn("Xvfb", args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [number] = (await once(server.stdio[3] as Readable, "data")) as [Buffer];
  const display = `:${number.toString().trim()}`;
  const children: ChildProcess[] = [server];
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], DISPLAY: display };
  const run = (command: string, ...rest: string[]): string =>
    execFileSync(command, rest, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const isShown = (title: string): boolean => {
    try {
      return run("xwininfo", "-name", title).includes("IsViewable");
    } catch {
      return false;
    }
  };
  return {
    display,
    run,
    show: async (title, command, ...rest) => {
      children.unshift(spawn(command, [...rest, "-title", title], { env, stdio: "ignore" }));
      await until(`the window ${title} is there`, () => isShown(title));
    },
    close: async () => {
      for (const child of children) await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}
