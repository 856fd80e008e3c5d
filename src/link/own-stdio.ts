/**
 * Our own stdin and stdout as a link, for doors that a client reaches by starting us. From then on stdout has one writer:
 * whatever anybody else prints, console included, goes to stderr, so that only protocol lines reach the client. A client
 * that does not read is not read either: what it asks waits in its own pipe, not in our memory.
 */
import type { CancelSignal } from "../light-abort.ts";
import { LineSplitter } from "../protocol/framing/lines.ts";
import { type Ending, lost } from "./ending.ts";
import { unavailable } from "./http-failures.ts";
import type { Link, LinkHandlers } from "./link.ts";
import { PipeWriter } from "./pipe-writer.ts";

interface OwnStdio extends Link {
  /** Resolves when the client sends no more, or has gone. After the end of its input it may still read our answers. */
  readonly ended: Promise<void>;
}

/** How long `close` waits for a client that takes nothing. */
const FLUSH_MS = 2000;
const NOISE_LENGTH = 200;

/** To be called once in a process. */
export function openOwnStdio(handlers: LinkHandlers, options: { readonly lineBytes: number }): OwnStdio {
  return new OwnPipes(handlers, options.lineBytes);
}

class OwnPipes implements OwnStdio {
  readonly #ended = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<Ending>();
  readonly ended: Promise<void> = this.#ended.promise;
  readonly closed: Promise<Ending> = this.#gone.promise;
  readonly #handlers: LinkHandlers;
  readonly #write: typeof process.stdout.write;
  readonly #writer: PipeWriter;
  #closing: Promise<void> | undefined;

  constructor(handlers: LinkHandlers, lineBytes: number) {
    this.#handlers = handlers;
    this.#write = takeStdout();
    this.#writer = new PipeWriter(process.stdout, {
      refusal: () => unavailable("stdio", "the client has gone"),
      write: (line, done) => this.#write(line, done),
      onFull: (full) => (full ? process.stdin.pause() : process.stdin.resume()),
    });
    process.stdout.on("error", () => this.#lost());
    this.#read(lineBytes);
  }

  send(message: string, signal?: CancelSignal): Promise<void> {
    return this.#writer.send(message, signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #read(lineBytes: number): void {
    const lines = new LineSplitter(lineBytes, (line) => this.#message(line), {
      onTooLong: (_bytes, head) => this.#tooLong(head),
    });
    process.stdin.on("data", (chunk: Buffer) => lines.push(chunk));
    process.stdin.on("end", () => lines.end());
    for (const event of ["end", "close", "error"]) process.stdin.on(event, () => this.#ended.resolve());
  }

  #message(line: string): void {
    if (!this.#closing && line.trim() !== "") this.#handlers.onMessage(line);
  }

  #tooLong(head: string): void {
    if (!this.#closing) this.#handlers.onNoise?.(head.slice(0, NOISE_LENGTH));
  }

  #lost(): void {
    this.#writer.close();
    this.#ended.resolve();
    this.#gone.resolve(lost("the client closed our output"));
  }

  async #close(): Promise<void> {
    process.stdin.destroy();
    await this.#flushed();
    this.#writer.close();
    this.#ended.resolve();
    this.#gone.resolve({ kind: "ours", reason: "stopped" });
  }

  #flushed(): Promise<void> {
    return new Promise((resolve) => {
      let unsent = this.#writer.unsent;
      const timer = setInterval(() => {
        if (this.#writer.unsent === unsent) finish();
        unsent = this.#writer.unsent;
      }, FLUSH_MS);
      const finish = (): void => {
        clearInterval(timer);
        resolve();
      };
      void this.#writer.emptied().then(finish);
    });
  }
}

/** Returns the way to stdout and leaves everybody else the way to stderr. */
function takeStdout(): typeof process.stdout.write {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // The client mostly holds both ends: a log line that nobody takes must not end us either.
  stderr.on("error", () => {});
  return write;
}
