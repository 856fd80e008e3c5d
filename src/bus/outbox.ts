/**
 * What one connection has still to send, within bounds. Bytes count until NATS has confirmed by a pong that it read them, since
 * the socket itself would buffer without end. Small messages are written at once. Of large ones only a few parts are under
 * way at a time, in turns, so that whatever is small waits behind half a megabyte at most.
 */

/** One connection to NATS. */
interface Wire {
  /** Throws where the connection has ended. */
  publish(subject: string, bytes: Buffer, reply: string | undefined): void;
  /** Resolves when NATS has read everything that was published before. */
  flush(): Promise<void>;
}

/** A large message: each call seals its next part and gives it; undefined when there is none left. */
export type NextPart = () =>
  | { readonly subject: string; readonly bytes: Buffer; readonly reply?: string | undefined }
  | undefined;

interface Whole {
  readonly next: NextPart;
  /** Bytes that are not yet published. */
  left: number;
}

/** A pong is asked for after so many bytes. */
const MARK_BYTES = 65_536;
const PARTS_UNDER_WAY = 4;

export class Outbox {
  readonly #wire: Wire;
  readonly #limit: number;
  readonly #wholes: Whole[] = [];
  /** Bytes published since the last request for a pong. */
  #unmarked = 0;
  /** Bytes for which a pong was asked. */
  #marked = 0;
  /** Bytes of large messages that are not yet published. */
  #queued = 0;
  #partsUnderWay = 0;

  /** @param limit of bytes that wait or are not confirmed */
  constructor(wire: Wire, limit: number) {
    this.#wire = wire;
    this.#limit = limit;
  }

  get backlog(): number {
    return this.#unmarked + this.#marked + this.#queued;
  }

  hasRoomFor(bytes: number): boolean {
    return this.backlog + bytes <= this.#limit;
  }

  /** False if the connection has ended. */
  put(subject: string, bytes: Buffer, reply?: string): boolean {
    if (!this.#publish(subject, bytes, reply)) return false;
    this.#unmarked += bytes.length;
    if (this.#unmarked >= MARK_BYTES) this.#mark();
    return true;
  }

  putWhole(bytes: number, next: NextPart): void {
    this.#wholes.push({ next, left: bytes });
    this.#queued += bytes;
    this.#pump();
  }

  #pump(): void {
    while (this.#partsUnderWay < PARTS_UNDER_WAY) {
      const whole = this.#wholes.shift();
      if (!whole) return;
      if (this.#putNextPart(whole)) this.#wholes.push(whole);
      else this.#queued -= whole.left;
    }
  }

  /** False when the message is through, or the connection is. */
  #putNextPart(whole: Whole): boolean {
    const part = whole.next();
    if (!part || !this.#publish(part.subject, part.bytes, part.reply)) return false;
    const counted = Math.min(whole.left, part.bytes.length);
    whole.left -= counted;
    this.#queued -= counted;
    this.#unmarked += part.bytes.length;
    this.#partsUnderWay++;
    this.#mark(() => {
      this.#partsUnderWay--;
      this.#pump();
    });
    return true;
  }

  #publish(subject: string, bytes: Buffer, reply: string | undefined): boolean {
    try {
      this.#wire.publish(subject, bytes, reply);
      return true;
    } catch {
      return false;
    }
  }

  /** A connection that ends answers nothing more, and this outbox ends with it. */
  #mark(then?: () => void): void {
    const bytes = this.#unmarked;
    this.#unmarked = 0;
    this.#marked += bytes;
    const confirmed = (): void => {
      this.#marked -= bytes;
      then?.();
    };
    this.#wire.flush().then(confirmed, () => {});
  }
}
