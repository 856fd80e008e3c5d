/**
 * What is in an envelope: several small messages, or a part of one that is larger than an envelope. The first byte says which:
 *
 *   0 · (length 4 · text) for each message
 *   1 · number of the message 6 · its length 4 · offset of this part 4 · bytes of the part
 *
 * Parts are put together per life of a sender, in whatever order they come, within bounds of number, size and time.
 */
import type { Sender } from "./bus.ts";

const MESSAGES = 0;
const PART = 1;
export const LENGTH_BYTES = 4;
const NUMBER_AT = 1;
const TOTAL_AT = 7;
const OFFSET_AT = 11;
export const PART_HEAD_BYTES = 15;

export interface AssemblyLimits {
  /** The largest message, in bytes. */
  readonly messageBytes: number;
  /** The most that all unfinished messages may take together, in bytes. */
  readonly allBytes: number;
  /** Unfinished messages of one sender. */
  readonly perSender: number;
  /** An unfinished message is given up after so long without another part, in milliseconds. */
  readonly patienceMs: number;
}

const MESSAGES_HEAD = Buffer.from([MESSAGES]);

export function messagesContent(messages: readonly Buffer[]): Buffer {
  const pieces = messages.flatMap((message) => {
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32BE(message.length);
    return [length, message];
  });
  return Buffer.concat([MESSAGES_HEAD, ...pieces]);
}

/** @param size the most bytes of the message in one part */
export function* partContents(message: Buffer, number: number, size: number): Generator<Buffer, undefined> {
  for (let offset = 0; offset < message.length; offset += size) {
    const head = Buffer.allocUnsafe(PART_HEAD_BYTES);
    head[0] = PART;
    head.writeUIntBE(number, NUMBER_AT, 6);
    head.writeUInt32BE(message.length, TOTAL_AT);
    head.writeUInt32BE(offset, OFFSET_AT);
    yield Buffer.concat([head, message.subarray(offset, offset + size)]);
  }
}

interface Unfinished {
  readonly sender: string;
  readonly message: Buffer;
  readonly offsets: Set<number>;
  missing: number;
  touchedAt: number;
}

export class Assembly {
  readonly #limits: AssemblyLimits;
  /** By sender and number; the one that was touched longest ago comes first. */
  readonly #unfinished = new Map<string, Unfinished>();
  #bytes = 0;
  #givenUp = 0;

  constructor(limits: AssemblyLimits) {
    this.#limits = limits;
  }

  /** Messages of which not all parts came. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** How many bytes are held for unfinished messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The messages in this content, or the one that it completes. Contents that make no sense are passed over: nobody but a node can have sealed them. */
  take(from: Sender, content: Buffer, now: number): readonly string[] {
    if (content[0] === MESSAGES) return [...messagesIn(content)];
    if (content[0] !== PART || content.length <= PART_HEAD_BYTES) return [];
    const message = this.#takePart(`${from.node} ${from.boot}`, content, now);
    return message === undefined ? [] : [message];
  }

  /** Gives up what has waited too long. */
  sweep(now: number): void {
    for (const [key, { touchedAt }] of this.#unfinished) {
      if (now - touchedAt < this.#limits.patienceMs) return;
      this.#giveUp(key);
    }
  }

  #takePart(sender: string, content: Buffer, now: number): string | undefined {
    const key = `${sender} ${content.readUIntBE(NUMBER_AT, 6)}`;
    const whole = this.#unfinished.get(key) ?? this.#begin(key, sender, content.readUInt32BE(TOTAL_AT));
    if (!whole || !put(whole, content)) return undefined;
    // Taken out and put in again, it is the last in the order of the map.
    this.#remove(key);
    if (whole.missing === 0) return whole.message.toString("utf8");
    whole.touchedAt = now;
    this.#keep(key, whole);
    return undefined;
  }

  #begin(key: string, sender: string, total: number): Unfinished | undefined {
    if (total > this.#limits.messageBytes || total > this.#limits.allBytes) return undefined;
    this.#makeRoom(sender, total);
    const message = Buffer.allocUnsafeSlow(total);
    const whole = { sender, message, offsets: new Set<number>(), missing: total, touchedAt: 0 };
    this.#keep(key, whole);
    return whole;
  }

  /** The one that was touched longest ago gives way: most likely a part of it was lost. */
  #makeRoom(sender: string, total: number): void {
    const own = [...this.#unfinished].filter(([, whole]) => whole.sender === sender);
    for (const [key] of own.slice(0, Math.max(0, own.length + 1 - this.#limits.perSender))) this.#giveUp(key);
    for (const key of this.#unfinished.keys()) {
      if (this.#bytes + total <= this.#limits.allBytes) return;
      this.#giveUp(key);
    }
  }

  #keep(key: string, whole: Unfinished): void {
    this.#unfinished.set(key, whole);
    this.#bytes += whole.message.length;
  }

  #remove(key: string): void {
    this.#bytes -= this.#unfinished.get(key)?.message.length ?? 0;
    this.#unfinished.delete(key);
  }

  #giveUp(key: string): void {
    this.#remove(key);
    this.#givenUp++;
  }
}

function* messagesIn(content: Buffer): Generator<string> {
  for (let at = 1; at + LENGTH_BYTES <= content.length; ) {
    const begin = at + LENGTH_BYTES;
    at = begin + content.readUInt32BE(at);
    if (at <= content.length) yield content.toString("utf8", begin, at);
  }
}

/** False for a part that does not fit its message, or was there already. */
function put(whole: Unfinished, content: Buffer): boolean {
  const offset = content.readUInt32BE(OFFSET_AT);
  const length = content.length - PART_HEAD_BYTES;
  const fits = content.readUInt32BE(TOTAL_AT) === whole.message.length && offset + length <= whole.message.length;
  if (!fits || whole.offsets.has(offset) || length > whole.missing) return false;
  content.copy(whole.message, offset, PART_HEAD_BYTES);
  whole.offsets.add(offset);
  whole.missing -= length;
  return true;
}
