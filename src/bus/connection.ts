/**
 * One connection to NATS with what we listen to on it, from the moment that it is ready until it ends. Nothing of it is taken over by the
 * next one: what was not sent is dropped.
 */
import { randomBytes } from "node:crypto";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { NodeId } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import { OVERHEAD_BYTES } from "./envelope.ts";
import { isNodeName, type Subjects } from "./names.ts";
import { Outbox } from "./outbox.ts";
import { Outgoing } from "./outgoing.ts";
import { PART_HEAD_BYTES } from "./parts.ts";
import type { Sealer } from "./seal.ts";

interface ConnectionEvents {
  onMessage(bytes: Uint8Array, subject: string): void;
  onUnheard(to: NodeId, number: number): void;
  /** NATS goes on, but refused something, such as a subject that we may not use. */
  onProblem(reason: string): void;
  /** Told once. */
  onEnd(reason: string): void;
}

/** A message of more bytes goes in parts, which keeps those that wait behind one from waiting long. */
const MOST_PART_BYTES = 131_072;
const LEAST_PAYLOAD = 4_096;
const NOBODY_LISTENS = 503;
const CLOSE_MS = 1_000;

export class BusConnection {
  readonly outgoing: Outgoing;
  readonly outbox: Outbox;
  /** How much of a message fits into one envelope on this connection. */
  readonly partBytes: number;
  readonly #nats: NatsConnection;
  readonly #events: ConnectionEvents;
  readonly #unheard: string;
  #isOver = false;
  #lastWords: string | undefined;

  constructor(
    nats: NatsConnection,
    subjects: Subjects,
    sealer: Sealer,
    events: ConnectionEvents,
    backlogBytes: number,
  ) {
    this.#nats = nats;
    this.#events = events;
    this.#unheard = subjects.unheard(randomBytes(16).toString("hex"));
    this.partBytes = Math.min(payloadOf(nats) - OVERHEAD_BYTES - PART_HEAD_BYTES, MOST_PART_BYTES);
    const publish = (subject: string, bytes: Buffer, reply: string | undefined): void =>
      nats.publish(subject, bytes, reply === undefined ? {} : { reply });
    this.outbox = new Outbox({ publish, flush: () => nats.flush() }, backlogBytes);
    this.outgoing = new Outgoing(sealer, this);
  }

  /** Listens, and waits until NATS has agreed to it. */
  async start({ all, own }: Subjects): Promise<void> {
    let refusal: Error | undefined;
    const take = (subject: string, listener: (message: Msg) => void): void => {
      const callback = (error: Error | null, message: Msg): void => {
        if (error) refusal = error;
        else if (!this.#isOver) listener(message);
      };
      this.#nats.subscribe(subject, { callback });
    };
    for (const subject of [all, own]) take(subject, ({ data }) => this.#events.onMessage(data, subject));
    take(`${this.#unheard}.*.*`, (message) => this.#takeUnheard(message));
    void this.#watchEnd();
    void this.#watchStatus();
    // The client leaves a flush unanswered where the connection ends meanwhile.
    await Promise.race([this.#nats.flush(), this.#nats.closed()]);
    if (refusal) throw notAllowed(refusal);
    if (this.#nats.isClosed()) throw new BusError("unreachable", "NATS closed the connection as soon as it was made");
  }

  /** Where NATS says that nobody listens; its last two tokens tell of which message. */
  unheardSubject(to: NodeId, number: number): string {
    return `${this.#unheard}.${to}.${number}`;
  }

  /** @param isHasty does not wait for what is still to be sent */
  async close(isHasty = false): Promise<void> {
    this.#isOver = true;
    this.outgoing.flush();
    if (!isHasty) await withinMs(this.#nats.flush(), CLOSE_MS);
    await this.#nats.close();
  }

  #takeUnheard({ subject, headers, data }: Msg): void {
    const [to = "", number] = subject.split(".").slice(-2);
    const isNobody = headers?.code === NOBODY_LISTENS && data.length === 0;
    if (isNobody && isNodeName(to) && Number.isSafeInteger(Number(number))) this.#events.onUnheard(to, Number(number));
  }

  async #watchEnd(): Promise<void> {
    const cause = await this.#nats.closed();
    const words = this.#lastWords ?? (cause instanceof Error ? plain(cause.message) : undefined);
    this.#end(words === undefined ? "NATS closed the connection" : `NATS closed the connection: ${words}`);
  }

  async #watchStatus(): Promise<void> {
    for await (const status of this.#nats.status()) {
      if (status.type === "staleConnection") this.#end("NATS does not answer");
      if (status.type === "error") this.#takeProblem(status.error);
    }
  }

  #takeProblem(error: Error): void {
    if (error.name === "PermissionViolationError") this.#events.onProblem(notAllowed(error).message);
    else this.#lastWords = plain(error.message);
  }

  /** The client itself would wait until all is sent, which never happens where NATS has stopped reading. */
  #end(reason: string): void {
    if (this.#isOver) return;
    void this.close(true);
    this.#events.onEnd(reason);
  }
}

function payloadOf({ info }: NatsConnection): number {
  const bytes = info?.max_payload ?? 0;
  if (bytes >= LEAST_PAYLOAD) return bytes;
  throw new BusError(
    "limits",
    `NATS takes messages of ${bytes} bytes only: set its max_payload to ${LEAST_PAYLOAD} or more`,
  );
}

function notAllowed(error: Error): BusError {
  return new BusError("permission", `NATS does not let this user use our subjects: ${plain(error.message)}`, error);
}

/** What a server says, as a part of one line. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, 200);
}

async function withinMs(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise.catch(() => {}), over]);
  clearTimeout(timer);
}
