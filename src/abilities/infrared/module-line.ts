/** A conversation with the infrared module in whole frames, over an open serial port. */
import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { SerialPort } from "../../link/serial-port.ts";
import { InfraredFailure } from "./failure.ts";
import { encodeFrame, type Frame, FrameDecoder } from "./frame.ts";
import { hexOf } from "./hex.ts";

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
