/**
 * text/event-stream (the HTML standard's "server-sent events"), read from bytes that arrive cut anywhere, and written.
 * It knows nothing of what the events carry. Not `eventsource-parser`: at an event over the limit that one ends, where this
 * passes over the event and reads on, and it tells no id that comes without data.
 */
import { ZaguanError } from "../../errors.ts";
import { GrowingText } from "./growing-text.ts";
import { type CutMessage, PassedOver } from "./passed-over.ts";

export interface SseEvent {
  /** "message" unless the stream names another. */
  readonly type: string;
  readonly data: string;
  /** The id this very event came with, if it did. */
  readonly id?: string;
}

const LF = 0x0a;
const CR = 0x0d;
const DATA_NAME = /^data: ?/;

export class SseParser {
  readonly #maxBytes: number;
  readonly #onEvent: (event: SseEvent) => void;
  readonly #onRetry: ((ms: number) => void) | undefined;
  readonly #onTooLarge: ((data: CutMessage) => void) | undefined;
  /** The line whose end has not come yet. */
  readonly #line = new GrowingText();
  /** Bytes of the fields of the event that is being put together. */
  #eventBytes = 0;
  /** The event that is being passed over, and whether its line at hand has anything in it. */
  #passing: PassedOver | undefined;
  #isBlank = false;
  #isFirstLine = true;
  #skipLineFeed = false;
  #data: string[] = [];
  #type = "";
  #id: string | undefined;

  /**
   * @param maxBytes bounds one event, its field names included
   * @param onTooLarge told of an event that was too large and was passed over; without it such an event ends the reading
   */
  constructor(
    maxBytes: number,
    onEvent: (event: SseEvent) => void,
    onRetry?: (ms: number) => void,
    onTooLarge?: (data: CutMessage) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
    this.#onTooLarge = onTooLarge;
  }

  /** Throws TOO_LARGE at an event that is over the limit and not passed over; the parser is of no use after that. */
  push(chunk: Uint8Array): void {
    let start = 0;
    let nextCr = indexOrEnd(chunk, CR, 0);
    while (start < chunk.length) {
      if (this.#skipLineFeed && chunk[start] === LF) start++;
      this.#skipLineFeed = false;
      if (nextCr < start) nextCr = indexOrEnd(chunk, CR, start);
      const end = Math.min(indexOrEnd(chunk.subarray(0, nextCr), LF, start), nextCr);
      this.#keep(chunk.subarray(start, end));
      if (end === chunk.length) return;
      this.#skipLineFeed = chunk[end] === CR;
      this.#endLine();
      start = end + 1;
    }
  }

  /** The stream is over: an event that its blank line never closed may be cut short and is thrown away. */
  end(): void {
    this.#line.clear();
    this.#passing = undefined;
    this.#reset();
  }

  /** A comment counts only while it is being read: it may be long, but must not be endless. */
  #keep(piece: Uint8Array): void {
    if (this.#passing) this.#pass(this.#passing, piece);
    else if (this.#eventBytes + this.#line.length + piece.length <= this.#maxBytes) this.#line.append(piece);
    else this.#beginPassing(piece);
  }

  #beginPassing(piece: Uint8Array): void {
    if (!this.#onTooLarge) throw this.#tooLarge(this.#maxBytes + 1);
    this.#line.append(piece);
    const line = this.#line.take().replace(DATA_NAME, "");
    const data = this.#data.map((part) => `${part}\n`).join("");
    this.#data = [];
    this.#passing = new PassedOver(this.#maxBytes, Buffer.from(data), Buffer.from(line));
    this.#isBlank = false;
  }

  #pass(passing: PassedOver, piece: Uint8Array): void {
    passing.push(piece);
    this.#isBlank &&= piece.length === 0;
    if (passing.isEndless) throw this.#tooLarge(passing.bytes);
  }

  /** A blank line ends it, as it does any event. */
  #endPassedLine(passing: PassedOver): void {
    if (!this.#isBlank) {
      this.#isBlank = true;
      return;
    }
    this.#passing = undefined;
    this.#isBlank = false;
    this.#onTooLarge?.(passing.cut());
    this.#dispatch();
  }

  #tooLarge(bytes: number): ZaguanError {
    return new ZaguanError("TOO_LARGE", { params: { what: "an event", limit: this.#maxBytes, bytes } });
  }

  #endLine(): void {
    if (this.#passing) {
      this.#endPassedLine(this.#passing);
      return;
    }
    const bytes = this.#line.length;
    let line = this.#line.take();
    // Byte-order marks are data everywhere but at the very start.
    if (this.#isFirstLine && line.startsWith("\uFEFF")) line = line.slice(1);
    this.#isFirstLine = false;
    if (line === "") this.#dispatch();
    else if (!line.startsWith(":")) {
      this.#eventBytes += bytes;
      this.#field(line);
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^[0-9]{1,9}$/.test(value)) this.#onRetry?.(Number(value));
  }

  /** An event without data is worth telling only for its id (it is how a server says where to resume). */
  #dispatch(): void {
    const data = this.#data.join("\n");
    const id = this.#id;
    const type = this.#type || "message";
    this.#reset();
    if (id !== undefined) this.#onEvent({ type, data, id });
    else if (data !== "") this.#onEvent({ type, data });
  }

  #reset(): void {
    this.#data = [];
    this.#type = "";
    this.#id = undefined;
    this.#eventBytes = 0;
  }
}

/** One event as text. No newline in any part can begin a field of its own. */
export function encodeSse(data: string, id?: string, type?: string): string {
  const head = `${field("event", type)}${field("id", id)}`;
  return `${head}data: ${data.split(/\r\n|\r|\n/).join("\ndata: ")}\n\n`;
}

/** An event that says nothing but where a reader that loses the stream can come back to, and how long to wait first. */
export function encodeSsePlace(id: string, retryMs: number): string {
  return `${field("id", id)}retry: ${retryMs}\ndata: \n\n`;
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? "" : `${name}: ${value.replace(/[\r\n\0]/g, "")}\n`;
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}
