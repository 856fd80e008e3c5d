/**
 * Who uses the module's port: one at a time, in the order of asking, each with the port opened for it alone. While a code
 * is learned nobody else can use it, and waiting for that would take half a minute: the others are refused at once.
 */
import type { Clock } from "../../core/ports.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import { openSerialPort, type SerialPort, type SerialPortOptions } from "../../link/serial-port.ts";
import { OneAtATime } from "../shared/tools.ts";
import { InfraredFailure } from "./failure.ts";
import { encodeFrame, type Frame, FrameDecoder, hexOf } from "./frame.ts";

export class ModuleUser {
  readonly #options: SerialPortOptions;
  readonly #clock: Clock;
  readonly #turns = new OneAtATime();
  readonly #closing = new LightAbort();
  #learning = false;

  constructor(options: SerialPortOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  get port(): string {
    return this.#options.port;
  }

  async use<T>(signal: CancelSignal, work: (line: ModuleLine) => Promise<T>): Promise<T> {
    if (this.#learning) throw new InfraredFailure("infrared.learningHasPort");
    return await this.#inTurn(signal, work);
  }

  /** Whoever asks for this sees to it that there is one learning at a time. */
  async learn<T>(signal: CancelSignal, work: (line: ModuleLine) => Promise<T>): Promise<T> {
    this.#learning = true;
    try {
      return await this.#inTurn(signal, work);
    } finally {
      this.#learning = false;
    }
  }

  /** Whoever uses the port now says a last word and lets go of it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#turns.idle();
  }

  #inTurn<T>(signal: CancelSignal, work: (line: ModuleLine) => Promise<T>): Promise<T> {
    const either = anyOf(signal, this.#closing);
    return this.#turns.run(() => this.#withPort(either, work));
  }

  async #withPort<T>(signal: CancelSignal, work: (line: ModuleLine) => Promise<T>): Promise<T> {
    if (signal.aborted) throw new InfraredFailure("infrared.cancelled");
    const port = await openSerialPort(this.#options);
    try {
      return await work(new ModuleLine(port, this.#clock, signal));
    } finally {
      await port.close();
    }
  }
}

/** A conversation with the infrared module in whole frames, over an open serial port. */
/** Nothing comes for so long in the middle of a frame: it will not end. */
const INSIDE_FRAME_MS = 500;
const WRITE_MS = 2000;
/** So much of what was heard is enough to show in a failure. */
const SHOWN_BYTES = 64;

export class ModuleLine {
  readonly port: SerialPort;
  readonly clock: Clock;
  readonly #signal: CancelSignal;
  readonly #decoder = new FrameDecoder();
  readonly #frames: Frame[] = [];
  #heard: Buffer = Buffer.alloc(0);

  constructor(port: SerialPort, clock: Clock, signal: CancelSignal) {
    this.port = port;
    this.clock = clock;
    this.#signal = signal;
  }

  /** The first bytes that came, as text; "" if none did. */
  get heard(): string {
    const more = this.#heard.length > SHOWN_BYTES ? " …" : "";
    return `${hexOf(this.#heard.subarray(0, SHOWN_BYTES))}${more}`;
  }

  async say(afn: number, data?: Uint8Array): Promise<void> {
    this.#refuseStopped();
    await this.port.write(encodeFrame(afn, data), this.#after(this.clock.now() + WRITE_MS));
    this.#refuseStopped();
  }

  /** The next frame, intact or not; undefined if none came until then. */
  async next(until: number): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame) return frame;
      const silence = this.#decoder.waiting ? this.clock.now() + INSIDE_FRAME_MS : until;
      const bytes = await this.port.read(this.#after(Math.min(silence, until)));
      this.#refuseStopped();
      if (bytes) this.#hear(bytes);
      else if (this.#decoder.waiting) this.#frames.push(...this.#decoder.flush());
      else return undefined;
    }
  }

  /** The same line once more, for a last word that is said even though nobody waits for it. */
  whateverHappens(signal: CancelSignal): ModuleLine {
    return new ModuleLine(this.port, this.clock, signal);
  }

  #hear(bytes: Buffer): void {
    if (this.#heard.length <= SHOWN_BYTES) this.#heard = Buffer.concat([this.#heard, bytes]);
    this.#frames.push(...this.#decoder.push(bytes));
  }

  #after(time: number): () => boolean {
    return () => this.#signal.aborted || this.clock.now() >= time;
  }

  #refuseStopped(): void {
    if (this.#signal.aborted) throw new InfraredFailure("infrared.cancelled");
  }
}
