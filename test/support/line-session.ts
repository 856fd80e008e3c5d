/**
 * A person at the other end of a line program: reads what it prints line by line, bytes untouched, and types at it.
 * Unlike `LineChild` it adds no option of its own, so that a command runs exactly as the documents write it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { until } from "./processes.ts";
import { cleanEnvironment, zaguanCommand } from "./spawn-zaguan.ts";

export interface LineEnd {
  readonly code: number | null;
  /** What it printed and nobody had read yet. */
  readonly rest: readonly string[];
  readonly stderr: string;
}

export class LineSession {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout: Buffer = Buffer.alloc(0);
  #stderr = "";
  #hasClosed = false;

  /** `stdin` is a file descriptor for the program to read, or a pipe to type into. */
  constructor(args: readonly string[], cwd: string, stdin: number | "pipe" = "pipe") {
    const { command, args: words } = zaguanCommand(...args);
    this.#child = spawn(command, words, { cwd, env: cleanEnvironment(), stdio: [stdin, "pipe", "pipe"] });
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.on("data", (bytes: Buffer) => (this.#stdout = Buffer.concat([this.#stdout, bytes])));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.#closed = once(this.#child, "close").then(() => (this.#hasClosed = true));
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The next line as it was printed, without its end. */
  async next(): Promise<string> {
    await until("a line comes", () => this.#stdout.includes(10) || this.#hasClosed);
    const end = this.#stdout.indexOf(10);
    if (end < 0) throw new Error(`it ended (${this.#child.exitCode}) without a line; stderr: ${this.#stderr}`);
    const line = decode(this.#stdout.subarray(0, end));
    this.#stdout = this.#stdout.subarray(end + 1);
    return line;
  }

  write(bytes: Buffer | string): void {
    this.#input().write(bytes);
  }

  /** Sends lines in one piece, and reads as many answers. */
  async ask(...lines: readonly string[]): Promise<string[]> {
    this.write(lines.map((line) => `${line}\n`).join(""));
    const answers: string[] = [];
    while (answers.length < lines.length) answers.push(await this.next());
    return answers;
  }

  /** Ends its input and waits for its end. */
  async end(last: Buffer | string = ""): Promise<LineEnd> {
    this.#input().end(last);
    return await this.gone();
  }

  /** Waits for an end that it comes to by itself. */
  async gone(): Promise<LineEnd> {
    await until("it ends", () => this.#hasClosed);
    await this.#closed;
    const text = decode(this.#stdout);
    const rest = text === "" ? [] : text.replace(/\n$/, "").split("\n");
    return { code: this.#child.exitCode, rest, stderr: this.#stderr };
  }

  /** For the end of a test, whatever came before. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  #input(): Writable {
    if (!this.#child.stdin) throw new Error("its input is a file");
    return this.#child.stdin;
  }
}

/** Fails on bytes that are no UTF-8. */
function decode(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
