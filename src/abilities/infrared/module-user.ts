/**
 * Who uses the module's port: one at a time, in the order of asking, each with the port opened for it alone. While a code
 * is learned nobody else can use it, and waiting for that would take half a minute: the others are refused at once.
 */
import type { Clock } from "../../core/ports.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import { openSerialPort, type SerialPortOptions } from "../../link/serial-port.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { InfraredFailure } from "./failure.ts";
import { ModuleLine } from "./module-line.ts";

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
