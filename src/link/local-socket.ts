/** A link to a program on this machine that listens on a socket in the file system: one message per line, both ways. */
import { connect, type Socket } from "node:net";
import type { CancelSignal } from "../light-abort.ts";
import { LineSplitter } from "../protocol/framing/lines.ts";
import { CLOSED, type Ending, lost, unfit } from "./ending.ts";
import { unavailable } from "./http-failures.ts";
import { FLOODED, Intake } from "./intake.ts";
import type { Link, LinkHandlers } from "./link.ts";
import { PipeWriter } from "./pipe-writer.ts";

interface LocalSocketOptions {
  /** Where its socket lies; the kernel takes about a hundred bytes. */
  readonly path: string;
  /** The longest line it may write; a longer one is skipped. */
  readonly lineBytes: number;
  /** The name for error texts. */
  readonly name: string;
}

/** Rejects with SOURCE_UNAVAILABLE if nobody listens there. */
export function openLocalSocket(options: LocalSocketOptions, handlers: LinkHandlers): Promise<Link> {
  return new Promise((resolve, reject) => {
    const socket = connect(options.path);
    const refuse = (cause: NodeJS.ErrnoException): void =>
      reject(unavailable(options.name, `its socket cannot be opened (${cause.code ?? "unknown"})`, cause));
    socket.once("error", refuse);
    socket.once("connect", () => {
      socket.off("error", refuse);
      resolve(new LocalSocket(socket, options, handlers));
    });
  });
}

class LocalSocket implements Link {
  readonly closed: Promise<Ending>;
  readonly #socket: Socket;
  readonly #writer: PipeWriter;
  #ending: Ending = { kind: "closed", reason: "closed by the other side" };

  constructor(socket: Socket, { lineBytes, name }: LocalSocketOptions, handlers: LinkHandlers) {
    this.#socket = socket;
    this.#writer = new PipeWriter(socket, { refusal: () => unavailable(name, this.#ending.reason) });
    const intake = new Intake({
      deliver: (line) => handlers.onMessage(line),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      onFlood: () => void this.#stop(unfit(FLOODED)),
    });
    const lines = new LineSplitter(lineBytes, (line) => intake.take(line), {
      onTooLong: (_bytes, head) => handlers.onNoise?.(head),
    });
    socket.on("data", (chunk: Buffer) => lines.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.#ending = lost(`lost (${error.code ?? "unknown"})`);
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#writer.close();
        intake.end();
        resolve(this.#ending);
      });
    });
  }

  send(message: string, signal?: CancelSignal): Promise<void> {
    return this.#writer.send(message, signal);
  }

  close(): Promise<void> {
    return this.#stop(CLOSED);
  }

  async #stop(ending: Ending): Promise<void> {
    if (!this.#socket.destroyed) this.#ending = ending;
    this.#socket.destroy();
    await this.closed;
  }
}
