/**
 * Whole messages, one per frame, into a WebSocket. While the socket holds too much, further messages wait here, in order,
 * where it is certain that they have not left and where their senders can take them back. A rejected send may be ignored:
 * it never becomes an unhandled rejection.
 */
import type { WebSocket } from "ws";
import type { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { givenUp } from "./http-failures.ts";

interface FrameWriterOptions {
  /** Why nothing can be sent any more; asked for each message refused. */
  refusal(): ZaguanError;
  /** Why no more may wait. */
  overflow(): ZaguanError;
  /** For a message whose socket died while it was being written. */
  lost(cause: Error): ZaguanError;
}

interface WaitingMessage {
  readonly text: string;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: ZaguanError) => void;
  /** Stops listening for the sender's leaving. */
  stop(): void;
}

export const FULL_BYTES = 1_048_576;
const WAITING_BYTES = 16_777_216;

export class FrameWriter {
  readonly #socket: WebSocket;
  readonly #options: FrameWriterOptions;
  readonly #waiting = new Set<WaitingMessage>();
  #waitingBytes = 0;

  constructor(socket: WebSocket, options: FrameWriterOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** Resolves when the frame was handed to the operating system. Until it is written, the signal takes it back. */
  send(text: string, signal?: CancelSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    if (!this.#isOpen()) reject(this.#options.refusal());
    else if (signal?.aborted) reject(givenUp(signal));
    else this.#accept({ text, bytes: Buffer.byteLength(text), resolve, reject, stop: () => {} }, signal);
    return promise;
  }

  /** What still waits is refused. */
  close(): void {
    for (const message of this.#waiting) {
      this.#remove(message);
      message.reject(this.#options.refusal());
    }
  }

  #accept(message: WaitingMessage, signal: CancelSignal | undefined): void {
    if (!this.#mustWait()) this.#write(message);
    // The first may be of any size: alone it would fit as soon as the socket is read.
    else if (this.#waiting.size > 0 && this.#waitingBytes + message.bytes > WAITING_BYTES)
      message.reject(this.#options.overflow());
    else this.#wait(message, signal);
  }

  #wait(message: WaitingMessage, signal: CancelSignal | undefined): void {
    const onAbort = (): void => {
      this.#remove(message);
      if (signal) message.reject(givenUp(signal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    message.stop = () => signal?.removeEventListener("abort", onAbort);
    this.#waiting.add(message);
    this.#waitingBytes += message.bytes;
  }

  #remove(message: WaitingMessage): void {
    message.stop();
    if (this.#waiting.delete(message)) this.#waitingBytes -= message.bytes;
  }

  #write({ text, resolve, reject }: WaitingMessage): void {
    this.#socket.send(text, (error) => {
      if (error) reject(this.#options.lost(error));
      else resolve();
      this.#flush();
    });
  }

  #flush(): void {
    for (const message of this.#waiting) {
      if (!this.#isOpen() || this.#socket.bufferedAmount > FULL_BYTES) return;
      this.#remove(message);
      this.#write(message);
    }
  }

  #mustWait(): boolean {
    return this.#waiting.size > 0 || this.#socket.bufferedAmount > FULL_BYTES;
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }
}
