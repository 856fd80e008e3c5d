/**
 * Finds the borders of MQTT packets in a stream of bytes (MQTT 5.0, 2.1: one byte of type and flags, then the length in at
 * most four bytes), so that each packet is held against a limit before anybody gathers it. Messages of QoS 0 that are too
 * large are left out; everything else that is too large, or was never asked for, ends the stream. Pure.
 */

const PUBLISH = 3;
const LONGEST_HEADER = 5;
const MORE = 0x80;

interface MqttPacketsOptions {
  /** The size limit of one packet, its header included. */
  readonly maxBytes: number;
  /** A packet other than a message begins. */
  onControl(): void;
  /** A message of so many bytes is left out. */
  onLeftOut(bytes: number): void;
}

/** The stream is no MQTT, or what came was never asked for. */
export class BadPacket extends Error {}

export class MqttPackets {
  readonly #options: MqttPacketsOptions;
  /** The header that has begun. */
  #header: number[] = [];
  /** Bytes of the body that are still to come. */
  #left = 0;
  #isLeftOut = false;

  constructor(options: MqttPacketsOptions) {
    this.#options = options;
  }

  /** What is to be passed on of this chunk. Throws a BadPacket. */
  take(chunk: Uint8Array): readonly Uint8Array[] {
    const passed: Uint8Array[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        const byte = chunk[at++] as number;
        if (this.#hasHeader(byte)) this.#begin(passed);
        continue;
      }
      const end = Math.min(chunk.length, at + this.#left);
      if (!this.#isLeftOut) passed.push(chunk.subarray(at, end));
      this.#left -= end - at;
      at = end;
    }
    return passed;
  }

  #hasHeader(byte: number): boolean {
    this.#header.push(byte);
    if (this.#header.length === 1) return false;
    if ((byte & MORE) === 0) return true;
    if (this.#header.length === LONGEST_HEADER) throw new BadPacket("it sent what is no MQTT");
    return false;
  }

  /** A header without a body is a whole packet. */
  #begin(passed: Uint8Array[]): void {
    const header = Uint8Array.from(this.#header);
    this.#header = [];
    const first = header[0] as number;
    this.#left = header.slice(1).reduce((length, byte, index) => length + (byte & ~MORE) * 128 ** index, 0);
    const bytes = header.length + this.#left;
    this.#isLeftOut = bytes > this.#options.maxBytes;
    if (first >> 4 === PUBLISH) this.#checkMessage(first, bytes);
    else this.#checkControl(bytes);
    if (!this.#isLeftOut) passed.push(header);
  }

  /** Subscriptions are of QoS 0: a message of another would have to be kept and acknowledged. */
  #checkMessage(first: number, bytes: number): void {
    if ((first & 0b0110) !== 0)
      throw new BadPacket("it sent a message with a quality of service that nobody asked for");
    if (this.#isLeftOut) this.#options.onLeftOut(bytes);
  }

  #checkControl(bytes: number): void {
    if (this.#isLeftOut) throw new BadPacket(`it sent a packet of ${bytes} bytes`);
    this.#options.onControl();
  }
}
