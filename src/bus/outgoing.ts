/**
 * Seals what is sent over one connection. To seal costs about as much for one small message as for twenty, and so does to write, so
 * those that go to one receiver in the same turn of the event loop share an envelope, and a number with it: they arrive together or
 * not at all. A turn is all that sockets had to say at one moment, not the work of one of them.
 */
import type { BusMessage, Drop, NodeId } from "./bus.ts";
import type { Outbox } from "./outbox.ts";
import { LENGTH_BYTES, messagesContent, partContents } from "./parts.ts";
import type { Sealer } from "./seal.ts";

/** Where a message goes. */
export interface Target {
  readonly subject: string;
  /** "" for any life of the receiver. */
  readonly boot: string;
  /** Undefined for everybody, of whom nobody need listen. */
  readonly node?: NodeId;
}

interface Route {
  readonly outbox: Outbox;
  /** How much of a message fits into one envelope. */
  readonly partBytes: number;
  /** Where NATS is to answer that nobody listens. */
  unheardSubject(to: NodeId, number: number): string;
}

interface Batch {
  readonly target: Target;
  readonly number: number;
  readonly pieces: Buffer[];
  bytes: number;
}

export class Outgoing {
  readonly #sealer: Sealer;
  readonly #route: Route;
  /** By subject, in the order in which they were begun. */
  readonly #batches = new Map<string, Batch>();
  #bytes = 0;

  constructor(sealer: Sealer, route: Route) {
    this.#sealer = sealer;
    this.#route = route;
  }

  /** The number of the envelope, or why the message is not sent. */
  post(target: Target, message: BusMessage, maxBytes: number): number | Drop {
    const { outbox, partBytes } = this.#route;
    const bytes = Buffer.byteLength(message, "utf8");
    if (bytes > maxBytes) return "tooLarge";
    if (!outbox.hasRoomFor(this.#bytes + bytes)) return "backlog";
    const piece = Buffer.from(message, "utf8");
    return piece.length <= partBytes ? this.#postSmall(target, piece) : this.#postParts(target, piece);
  }

  /** Writes what waits for the end of this turn. */
  flush(): void {
    for (const batch of this.#batches.values()) this.#write(batch);
    this.#batches.clear();
    this.#bytes = 0;
  }

  #postSmall(target: Target, piece: Buffer): number {
    const bytes = LENGTH_BYTES + piece.length;
    const batch = this.#batchFor(target, bytes);
    batch.pieces.push(piece);
    batch.bytes += bytes;
    this.#bytes += bytes;
    // Messages to all nodes keep their place in the order of messages to one.
    if (target.node === undefined) this.flush();
    return batch.number;
  }

  #batchFor(target: Target, bytes: number): Batch {
    const open = this.#batches.get(target.subject);
    const fits = open && open.target.boot === target.boot && open.bytes + bytes <= this.#route.partBytes;
    if (fits) return open;
    if (open) this.flush();
    if (this.#batches.size === 0) setImmediate(() => this.flush());
    const batch = { target, number: this.#sealer.take(), pieces: [], bytes: 0 };
    this.#batches.set(target.subject, batch);
    return batch;
  }

  #write({ target, number, pieces }: Batch): void {
    const sealed = this.#sealer.seal(number, messagesContent(pieces), target.subject, target.boot);
    this.#route.outbox.put(target.subject, sealed, this.#replyFor(target, number));
  }

  /** Each part has a number of its own, and only the first asks whether somebody listens. */
  #postParts(target: Target, message: Buffer): number {
    const { subject, boot } = target;
    // What was sent before must not come after.
    this.flush();
    const number = this.#sealer.take();
    const parts = partContents(message, number, this.#route.partBytes);
    let reply = this.#replyFor(target, number);
    this.#route.outbox.putWhole(message.length, () => {
      const { value, done } = parts.next();
      if (done) return undefined;
      const part = { subject, bytes: this.#sealer.seal(this.#sealer.take(), value, subject, boot), reply };
      reply = undefined;
      return part;
    });
    return number;
  }

  #replyFor({ node }: Target, number: number): string | undefined {
    return node === undefined ? undefined : this.#route.unheardSubject(node, number);
  }
}
