/**
 * A link to a child process: one message per line on its stdin and stdout, its own log on stderr. The child leads a
 * process group of its own, and when the link ends the whole group ends, with everything that descends from it.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { LineSplitter } from "../protocol/framing/lines.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { HOP_VARIABLE, hubChain } from "../security/hub-chain.ts";
import { childEnvironment } from "./child-environment.ts";
import { type Ending, lost, unfit } from "./ending.ts";
import { unavailable } from "./http-failures.ts";
import { FLOODED, Intake } from "./intake.ts";
import type { Link, LinkHandlers } from "./link.ts";
import { PipeWriter } from "./pipe-writer.ts";
import { groupRuns, killMarked, signalGroup, within } from "./process-group.ts";
import { newMarker, releaseGroup, watchGroup } from "./undertaker.ts";

export interface ChildLinkOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** The longest line that is taken from its stdout; a longer one is passed over, and one without end ends it. */
  readonly lineBytes: number;
  /** The source's name, or that of the program, for errors. */
  readonly name: string;
  /** The source that it works for; where sources are held for a limited time it ends with that time. @default name */
  readonly source?: string | undefined;
  /** How long it may take to leave after the end of its input. @default 2000 */
  readonly eofMs?: number | undefined;
  /** How long its group may take to leave after SIGTERM. @default 2000 */
  readonly termMs?: number | undefined;
  /**
   * How long its input may be full without the child taking a byte; then it is ended. What went into the pipe at the last
   * write counts as taken, so it may be up to twice this time. @default 30000
   */
  readonly stallMs?: number | undefined;
}

export interface ChildLink extends Link {
  readonly pid: number;
}

const LOG_LINE_BYTES = 8192;
/** The longest reason of an ending, its last words included. */
const REASON_LENGTH = 200;
const STOPPED: Ending = { kind: "ours", reason: "stopped" };
const NOISE_LENGTH = 200;
/** After SIGKILL only the kernel can keep a process (a dead network disk); we do not wait for that for ever. */
const KILL_MS = 5000;
/** What a child wrote before it exited is still read, but not for longer than this: others may hold its pipes open. */
const DRAIN_MS = 500;
/** A lost pipe mostly means that the child is just exiting: its exit says more, if it comes. */
const LOST_PIPE_MS = 250;
const STALL_MS = 30_000;
const NOT_READING = "does not read its input";

/** Lines that a crash ends with but that do not tell it: stack frames, what belongs to a line before, node's version, npm's notices. */
const UNTELLING =
  /^(?:\s|[)\]}]|Node\.js v\d|npm (?:notice|error A complete log of this run|error 404 (?:Note that|tarball, folder)|error 404$)|$)/;

/** Starts the child. Rejects with SOURCE_UNAVAILABLE if that cannot be done. */
export async function openChildLink(options: ChildLinkOptions, handlers: LinkHandlers): Promise<ChildLink> {
  refuseImpossible(options);
  const marker = newMarker();
  const child = start(options, marker);
  if (child.pid === undefined) throw await startFailure(options, child);
  return new RunningChild(child, child.pid, marker, options, handlers);
}

class RunningChild implements ChildLink {
  readonly pid: number;
  readonly #gone = Promise.withResolvers<Ending>();
  readonly closed: Promise<Ending> = this.#gone.promise;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #marker: string;
  readonly #options: ChildLinkOptions;
  readonly #handlers: LinkHandlers;
  readonly #writer: PipeWriter;
  readonly #intake: Intake;
  readonly #exited: Promise<void>;
  #exit: Ending | undefined;
  /** Why we ended the child, if it did not end by itself. */
  #stopped: Ending | undefined;
  #stopping: Promise<void> | undefined;
  #lastLog = "";
  #deaf = false;

  constructor(
    child: ChildProcessWithoutNullStreams,
    pid: number,
    marker: string,
    options: ChildLinkOptions,
    handlers: LinkHandlers,
  ) {
    watchGroup(pid, { source: options.source ?? options.name, marker });
    this.pid = pid;
    this.#child = child;
    this.#marker = marker;
    this.#options = options;
    this.#handlers = handlers;
    this.#writer = new PipeWriter(child.stdin, {
      refusal: () => unavailable(options.name, this.#ending().reason),
      overflow: () => unavailable(options.name, NOT_READING),
      onFull: (full) => this.#watchStall(full),
    });
    this.#intake = new Intake({
      deliver: (line) => this.#message(line),
      pause: () => child.stdout.pause(),
      resume: () => child.stdout.resume(),
      onFlood: () => void this.#stop(unfit(FLOODED), 0),
    });
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exit =
          signal === null
            ? { kind: "exited", code: code ?? undefined, reason: `exited with code ${code}` }
            : { kind: "killed", reason: `killed by ${signal}` };
        resolve();
        this.#afterExit();
      });
    });
    this.#listen();
  }

  send(message: string, signal?: CancelSignal): Promise<void> {
    return this.#writer.send(message, signal);
  }

  close(): Promise<void> {
    return this.#stop(STOPPED, this.#options.eofMs ?? 2000);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    this.#child.on("error", () => {});
    stdin.on("error", () => this.#lost("input"));
    stdin.on("timeout", () => void this.#stop(unfit(NOT_READING), 0));
    for (const output of [stdout, stderr]) output.on("error", () => {});
    const lines = new LineSplitter(this.#options.lineBytes, (line) => this.#intake.take(line), {
      onPassed: (line) => this.#tooLarge(line),
    });
    stdout.on("data", (chunk: Buffer) => {
      lines.push(chunk);
      if (lines.isEndless) this.#flood();
    });
    stdout.on("end", () => lines.end());
    stdout.on("close", () => this.#lost("output"));
    this.#listenToLog();
  }

  /** A child that logs without end has to wait as well, but is not ended: its calls may be fine. */
  #listenToLog(): void {
    const { stderr } = this.#child;
    const deliver = (line: string): string => this.#log(line);
    const intake = new Intake({ deliver, pause: () => stderr.pause(), resume: () => stderr.resume() });
    const log = (line: string): void => intake.take(line);
    const lines = new LineSplitter(LOG_LINE_BYTES, log, { onTooLong: (_bytes, head) => log(head) });
    stderr.on("data", (chunk: Buffer) => lines.push(chunk));
    stderr.on("end", () => lines.end());
    void this.#exited.then(() => {
      intake.end();
      stderr.resume();
    });
  }

  #message(line: string): unknown {
    return this.#deaf || line.trim() === "" ? "unasked" : this.#handlers.onMessage(line);
  }

  #log(line: string): "unasked" {
    if (line.trim() === "") return "unasked";
    if (!UNTELLING.test(line)) this.#lastLog = line;
    this.#handlers.onLog?.(line);
    return "unasked";
  }

  #tooLarge(line: CutMessage): void {
    if (this.#deaf) return;
    this.#intake.spend(line.bytes);
    if (this.#handlers.onTooLarge) this.#handlers.onTooLarge(line);
    else this.#handlers.onNoise?.(line.head.slice(0, NOISE_LENGTH));
  }

  #flood(): void {
    if (this.#deaf) return;
    this.#deaf = true;
    void this.#stop(unfit(`sent a line of far more than ${this.#options.lineBytes} bytes`), 0);
    this.#child.stdout.destroy();
  }

  /** A child's stdin is a socket, and a socket's own timer sees parts of a message go; stream events see the whole only. */
  #watchStall(full: boolean): void {
    (this.#child.stdin as Socket).setTimeout(full ? (this.#options.stallMs ?? STALL_MS) : 0);
  }

  /** Without its input or its output a child is of no use, even if it lives on. */
  #lost(pipe: "input" | "output"): void {
    if (this.#stopping) return;
    void within(LOST_PIPE_MS, this.#exited).then(() => this.#stop(lost(`closed its ${pipe}`), 0));
  }

  /** The first reason stands, and there is one ending for all who ask. */
  #stop(ending: Ending, eofMs: number): Promise<void> {
    if (this.#exit === undefined) this.#stopped ??= ending;
    this.#stopping ??= this.#end(eofMs);
    return this.#stopping;
  }

  async #end(eofMs: number): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    this.#writer.close();
    stdin.end();
    await within(eofMs, this.#exited);
    await this.#endGroup();
    await killMarked(this.#marker);
    releaseGroup(this.pid);
    if (this.#exit === undefined) this.#abandon();
    await this.closed;
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  }

  async #endGroup(): Promise<void> {
    if (!signalGroup(this.pid, "SIGTERM")) return;
    if (await this.#groupGone(this.#options.termMs ?? 2000)) return;
    signalGroup(this.pid, "SIGKILL");
    await this.#groupGone(KILL_MS);
  }

  async #groupGone(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    await within(ms, this.#exited);
    for (let pause = 5; ; pause = Math.min(2 * pause, 100)) {
      if (this.#exit !== undefined && !(await groupRuns(this.pid))) return true;
      if (performance.now() >= until) return false;
      await sleep(pause);
    }
  }

  /** At once: the rest of the group ends, and nobody can send. Soon: what the child still said is read. */
  #afterExit(): void {
    void this.#stop(STOPPED, 0);
    this.#intake.end();
    this.#child.stdout.resume();
    const read = Promise.all([pipeClosed(this.#child.stdout), pipeClosed(this.#child.stderr)]);
    void within(DRAIN_MS, read).then(() => this.#finish());
  }

  #finish(): void {
    this.#deaf = true;
    this.#gone.resolve(this.#ending());
  }

  #abandon(): void {
    this.#child.unref();
    const stopped = this.#stopped ?? STOPPED;
    this.#stopped = { ...stopped, reason: `${stopped.reason}, and cannot be killed` };
    this.#finish();
  }

  /** A child that ended by itself mostly said why. */
  #ending(): Ending {
    if (this.#stopped || !this.#exit) return this.#stopped ?? lost("closed its input");
    const words = stripVTControlCharacters(this.#lastLog).replace(/\s+/g, " ").trim();
    return words === ""
      ? this.#exit
      : { ...this.#exit, words: words.slice(0, REASON_LENGTH - this.#exit.reason.length - 2) };
  }
}

function refuseImpossible({ name, command, args, env, cwd }: ChildLinkOptions): void {
  if (command.trim() === "") throw unavailable(name, "no command is given");
  const texts = [command, cwd ?? "", ...args, ...Object.entries(env).flat()];
  if (texts.some((text) => text.includes("\0"))) {
    throw unavailable(name, "a NUL character stands in its command, arguments or environment");
  }
}

function start(options: ChildLinkOptions, marker: string): ChildProcessWithoutNullStreams {
  try {
    return spawn(options.command, options.args, {
      cwd: options.cwd,
      env: { ...childEnvironment(options.env, marker), [HOP_VARIABLE]: hubChain.marker },
      shell: false,
      detached: process.platform !== "win32",
      stdio: "pipe",
      windowsHide: true,
    });
  } catch (error) {
    throw unavailable(options.name, startReason(options, error as NodeJS.ErrnoException), error);
  }
}

async function startFailure(options: ChildLinkOptions, child: ChildProcessWithoutNullStreams): Promise<ZaguanError> {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
  return unavailable(options.name, startReason(options, error), error);
}

/** Only the last part of the command is named: where it lies is nobody's business. */
function startReason({ command, cwd }: ChildLinkOptions, { code }: NodeJS.ErrnoException): string {
  if ((code === "ENOENT" || code === "ENOTDIR") && cwd !== undefined && !existsSync(cwd)) {
    return "its working directory does not exist";
  }
  if (code === "ENOENT") return `command not found: ${basename(command)}`;
  if (code === "EACCES" || code === "EPERM") return `not executable: ${basename(command)}`;
  return `could not be started (${code ?? "unknown"})`;
}

function pipeClosed(pipe: ChildProcessWithoutNullStreams["stdout"]): Promise<void> {
  return new Promise((resolve) => {
    if (pipe.closed) resolve();
    else pipe.once("close", resolve);
  });
}
