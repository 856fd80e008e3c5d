/**
 * The frames of the infrared module, bytes to values and back. Pure.
 * `68 | length of the whole, 2 bytes, low first | address | function | data … | sum | 16`, where the sum is that of
 * address, function and data, modulo 256.
 */
/** Functions of the module's manual (V1.0.6) that are of use here. */
export const AFN = {
  /** Its answer to a command: 0 taken, 1 refused or busy. */
  ack: 0x01,
  getBaud: 0x04,
  getAddress: 0x06,
  sendInternal: 0x12,
  enterLearning: 0x20,
  exitLearning: 0x21,
  /** Sends a code; and, from the module, a code that it learned. */
  external: 0x22,
} as const;

/** Every module listens to it; a module answers with its own, 0 unless it was changed. */
const BROADCAST = 0xff;

const START = 0x68;
const END = 0x16;
/** Start, length, address and function before the data, sum and end after it. */
const BEFORE_DATA = 5;
const AFTER_DATA = 2;
const EMPTY_FRAME = BEFORE_DATA + AFTER_DATA;
/** A module has room for codes of 800 bytes; a length beyond this one is noise that looked like a start. */
const LONGEST_FRAME = 1024;

export interface Frame {
  readonly address: number;
  readonly afn: number;
  readonly data: Buffer;
  /** As it came, from its start to its end. */
  readonly bytes: Buffer;
  /** Whether its checksum is right; nothing in a frame with a wrong one can be trusted. */
  readonly intact: boolean;
}

export function encodeFrame(afn: number, data: Uint8Array = Buffer.alloc(0), address: number = BROADCAST): Buffer {
  const frame = Buffer.alloc(EMPTY_FRAME + data.length);
  frame[0] = START;
  frame.writeUInt16LE(frame.length, 1);
  frame[3] = address;
  frame[4] = afn;
  frame.set(data, BEFORE_DATA);
  frame[frame.length - 2] = sumOf(frame);
  frame[frame.length - 1] = END;
  return frame;
}

/** Finds frames in whatever a line brings: split, glued together, with noise before and between. */
export class FrameDecoder {
  #held: Buffer = Buffer.alloc(0);

  /** Something began like a frame and has not ended yet. */
  get waiting(): boolean {
    return this.#held.length > 0;
  }

  push(chunk: Uint8Array): Frame[] {
    this.#held = Buffer.concat([this.#held, chunk]);
    return [...this.#take(false)];
  }

  /** The line fell silent: what began like a frame will never end. What follows its first byte may be one. */
  flush(): Frame[] {
    return [...this.#take(true)];
  }

  *#take(silent: boolean): Generator<Frame> {
    for (this.#skipToStart(0); this.waiting; this.#skipToStart(1)) {
      const length = lengthOf(this.#held);
      if (length === undefined || this.#held.length < length) {
        if (silent) continue;
        return;
      }
      const frame = frameIn(this.#held.subarray(0, length));
      if (frame) yield frame;
      // Behind a false start, or in what a lost byte has shifted, the true one may follow at once.
      if (frame?.intact) this.#held = this.#held.subarray(length - 1);
    }
  }

  #skipToStart(from: number): void {
    const start = this.#held.indexOf(START, from);
    this.#held = start < 0 ? Buffer.alloc(0) : this.#held.subarray(start);
  }
}

/** Undefined while too little has come to know it. What cannot be a frame has a length of nothing. */
function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 3) return undefined;
  const length = bytes.readUInt16LE(1);
  return length < EMPTY_FRAME || length > LONGEST_FRAME ? 0 : length;
}

function frameIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < EMPTY_FRAME || bytes.at(-1) !== END) return undefined;
  const [address = 0, afn = 0] = bytes.subarray(3, BEFORE_DATA);
  const data = bytes.subarray(BEFORE_DATA, -AFTER_DATA);
  return { address, afn, data, bytes, intact: bytes.at(-2) === sumOf(bytes) };
}

function sumOf(frame: Buffer): number {
  let sum = 0;
  for (const byte of frame.subarray(3, -AFTER_DATA)) sum += byte;
  return sum % 256;
}

/** Blanks, tabs and line ends may stand between bytes, or nothing; undefined if it is anything else, or empty. */
export function parseHex(text: string): Buffer | undefined {
  const parts = text.trim().split(/\s+/);
  return parts.every((part) => /^(?:[0-9a-f]{2})+$/i.test(part)) ? Buffer.from(parts.join(""), "hex") : undefined;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

/**
 * What a code says: for how long the light is on, off, on … Each time is a number of units of 8 µs, seven bits to a
 * byte, the lowest first; the top bit says that more follows, and three bytes are the most.
 */
const UNIT_US = 8;
const MOST_BYTES = 3;

/** In microseconds, the first one lit; undefined if the bytes are no such list. */
export function durationsOf(code: Uint8Array): readonly number[] | undefined {
  const durations: number[] = [];
  let [units, bytes] = [0, 0];
  for (const byte of code) {
    units += (byte & 0x7f) << (7 * bytes);
    bytes += 1;
    if (byte < 0x80) {
      durations.push(units * UNIT_US);
      [units, bytes] = [0, 0];
    } else if (bytes === MOST_BYTES) return undefined;
  }
  return bytes === 0 ? durations : undefined;
}
