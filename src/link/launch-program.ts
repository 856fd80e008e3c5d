/**
 * Starts a program that is not ours to end: an application that the user asked for and that outlives us. It gets no
 * marker, no pipes and no shell, and it is not watched.
 */
import { spawn } from "node:child_process";
import { childEnvironment } from "./child-environment.ts";
import { MARKER_VARIABLE } from "./process-group.ts";
import { ProgramError, startFault } from "./run-program.ts";

interface LaunchOptions {
  /** Beside the short list that every child of ours gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** @default the root of the file system, so that it keeps no folder of ours busy */
  readonly cwd?: string | undefined;
}

/** Resolves with its number as soon as it runs; rejects with a ProgramError if it does not. */
export function launchProgram(command: string, args: readonly string[], options: LaunchOptions = {}): Promise<number> {
  const { [MARKER_VARIABLE]: _, ...env } = childEnvironment(options.env ?? {}, "");
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void =>
      reject(new ProgramError(command, startFault(cause.code), { cause }));
    try {
      const child = spawn(command, args, {
        cwd: options.cwd ?? "/",
        env,
        shell: false,
        detached: true,
        stdio: "ignore",
      });
      child.once("error", refuse);
      child.once("spawn", () => {
        child.unref();
        resolve(child.pid as number);
      });
    } catch (cause) {
      refuse(cause as NodeJS.ErrnoException);
    }
  });
}
