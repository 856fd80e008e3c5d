/**
 * Starts programs, without a shell. One is run to its end for what it writes, with bounded output and time: it leads a process
 * group of its own, whoever is left of the group when the program ends, or is made to end, ends too, and all die with us. The
 * other is an application that the user asked for, which outlives us: it gets no marker and no pipes, and is not watched.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { CancelSignal } from "../light-abort.ts";
import { childEnvironment } from "./child-environment.ts";
import { groupRuns, killMarked, MARKER_VARIABLE, signalGroup, within } from "./process-group.ts";
import { newMarker, releaseGroup, watchGroup } from "./undertaker.ts";

export interface RunOptions {
  /** For its standard input; without it that is empty. */
  readonly input?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** The most it may write to standard output; more ends it. Of standard error the last 8 KiB are kept. */
  readonly maxBytes: number;
  readonly signal?: CancelSignal | undefined;
  /** Beside the short list that every child of ours gets. `PATH` is where the program is looked for, too. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A program that ended by itself, well (0) or not. */
export interface Ran {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** `missing` is told apart because something can be done: install it, or try another. */
export type ProgramFault =
  | "missing"
  | "not_executable"
  | "not_started"
  | "timed_out"
  | "too_much"
  | "cancelled"
  | "killed";

/** A program that did not come to an end of its own. */
export class ProgramError extends Error {
  readonly fault: ProgramFault;
  /** Its bare name: where it lies is nobody's business. */
  readonly program: string;
  readonly stderr: string;

  constructor(command: string, fault: ProgramFault, details: { stderr?: string; cause?: unknown } = {}) {
    super(`${basename(command)}: ${fault}`, { cause: details.cause });
    this.name = "ProgramError";
    this.fault = fault;
    this.program = basename(command);
    this.stderr = details.stderr ?? "";
  }
}

const STDERR_BYTES = 8192;
/** Between SIGTERM and SIGKILL. */
const TERM_MS = 1000;
/** After SIGKILL only the kernel can keep a process (a dead network disk); we do not wait for that for ever. */
const KILL_MS = 5000;
/** What it wrote before it exited is still read, but not for longer than this: others may hold its pipes open. */
const DRAIN_MS = 500;

/** Rejects with a ProgramError, after the whole group is gone. */
export async function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  if (options.signal?.aborted) throw new ProgramError(command, "cancelled", { cause: options.signal.reason });
  const marker = newMarker();
  const child = start(command, args, options, marker);
  if (child.pid === undefined) throw await startFailure(command, child);
  return await new Run(command, child, child.pid, marker).finish(options);
}

class Run {
  readonly #command: string;
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #marker: string;
  readonly #exited: Promise<void>;
  readonly #closed: Promise<void>;
  #stopped: { readonly fault: ProgramFault; readonly cause?: unknown } | undefined;
  #ending: Promise<void> | undefined;
  #stdout: Buffer[] = [];
  #bytes = 0;
  #stderr: Buffer = Buffer.alloc(0);

  constructor(command: string, child: ChildProcess, pid: number, marker: string) {
    watchGroup(pid);
    this.#command = command;
    this.#child = child;
    this.#pid = pid;
    this.#marker = marker;
    this.#exited = new Promise((resolve) => child.once("exit", () => resolve()));
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
  }

  async finish({ input, timeoutMs, maxBytes, signal }: RunOptions): Promise<Ran> {
    const timer = setTimeout(() => this.#stop("timed_out"), timeoutMs);
    const abort = (): void => this.#stop("cancelled", signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#listen(maxBytes);
    this.#child.stdin?.end(input);
    await this.#exited;
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    await this.#clearUp();
    return this.#result();
  }

  #listen(maxBytes: number): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const part of [this.#child, stdin, stdout, stderr]) part?.on("error", () => {});
    stdout?.on("data", (chunk: Buffer) => this.#take(chunk, maxBytes));
    stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_BYTES);
    });
  }

  #take(chunk: Buffer, maxBytes: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= maxBytes) this.#stdout.push(chunk);
    else this.#stop("too_much");
  }

  /** Ends the program; the first reason for that stands. */
  #stop(fault: ProgramFault, cause?: unknown): void {
    if (this.#stopped) return;
    this.#stopped = { fault, cause };
    this.#stdout = [];
    this.#ending = this.#end();
  }

  async #end(): Promise<void> {
    signalGroup(this.#pid, "SIGTERM");
    await within(TERM_MS, this.#exited);
    signalGroup(this.#pid, "SIGKILL");
    await within(KILL_MS, this.#exited);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.unref();
    this.#child.emit("exit", null, "SIGKILL");
  }

  /** Who left the group is looked for only where the program had to be ended: a search of all processes is not free. */
  async #clearUp(): Promise<void> {
    await this.#ending;
    if (signalGroup(this.#pid, "SIGKILL")) await groupGone(this.#pid);
    if (this.#stopped) await killMarked(this.#marker);
    releaseGroup(this.#pid);
    await within(DRAIN_MS, this.#closed);
    for (const pipe of this.#child.stdio) pipe?.destroy();
  }

  #result(): Ran {
    const stderr = stripVTControlCharacters(this.#stderr.toString("utf8")).trim();
    const { exitCode } = this.#child;
    if (this.#stopped)
      throw new ProgramError(this.#command, this.#stopped.fault, { stderr, cause: this.#stopped.cause });
    if (exitCode === null) throw new ProgramError(this.#command, "killed", { stderr, cause: this.#child.signalCode });
    return { code: exitCode, stdout: Buffer.concat(this.#stdout), stderr };
  }
}

function start(command: string, args: readonly string[], options: RunOptions, marker: string): ChildProcess {
  try {
    return spawn(command, args, {
      env: childEnvironment(options.env ?? {}, marker),
      shell: false,
      detached: process.platform !== "win32",
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (cause) {
    throw new ProgramError(command, "not_started", { cause });
  }
}

async function startFailure(command: string, child: ChildProcess): Promise<ProgramError> {
  const cause = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
  return new ProgramError(command, startFault(cause.code), { cause });
}

function startFault(code: string | undefined): ProgramFault {
  if (code === "ENOENT" || code === "ENOTDIR") return "missing";
  return code === "EACCES" || code === "EPERM" ? "not_executable" : "not_started";
}

async function groupGone(pgid: number): Promise<void> {
  const until = performance.now() + KILL_MS;
  while (performance.now() < until && (await groupRuns(pgid))) await sleep(5);
}

interface LaunchOptions {
  /** Beside the short list that every child of ours gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** @default the root of the file system, so that it keeps no folder of ours busy */
  readonly cwd?: string | undefined;
}

/** Starts an application that is not ours to end. Resolves with its process id as soon as it runs; rejects with a ProgramError if it does not. */
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
