/**
 * An SSE answer. A reader that does not read is cut before its backlog becomes our memory; a comment now and then keeps
 * proxies from closing a silent stream.
 */
import type { ServerResponse } from "node:http";
import { encodeSse, encodeSsePlace } from "../../protocol/framing/sse.ts";
import type { Exchange } from "../door.ts";
import { PacedText } from "./paced-text.ts";

const MAX_BACKLOG_BYTES = 1_048_576;
const KEEP_ALIVE_MS = 15_000;
const UNREAD_MS = 10_000;

interface IdentifiedMessage {
  readonly id: string;
  readonly text: string;
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #text: PacedText;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    this.#text = new PacedText(response);
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      ...headers,
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => this.#write(": still here\n\n"), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    response.on("close", () => clearInterval(this.#keepAlive));
    // Node fires this when nothing left for so long; that matters only where something waits to be read.
    response.setTimeout(UNREAD_MS, () => this.#text.writableLength > 0 && this.#text.destroy());
  }

  /** Whether what is sent can still leave. */
  get isOpen(): boolean {
    return this.#text.isOpen;
  }

  send(message: string, type = "message", id?: string): void {
    this.#write(encodeSse(message, id, type));
  }

  /** Sends what was missed in one write, so that its length alone does not count as a backlog. */
  catchUp(missed: readonly IdentifiedMessage[]): void {
    if (missed.length > 0) this.#write(missed.map(({ id, text }) => encodeSse(text, id, "message")).join(""));
  }

  /** Sends an event id before any message, so that the reader can resume from it. */
  prime(id: string, retryMs: number): void {
    this.#write(encodeSsePlace(id, retryMs));
  }

  /** `isWhole`: everything was handed to the operating system; nobody knows whether it arrived. */
  onClose(listener: (isWhole: boolean) => void): void {
    this.#response.on("close", () => listener(this.#response.writableFinished));
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#text.end();
  }

  #write(text: string): void {
    if (!this.#text.isOpen) return;
    // The size of this message does not count: only readers who have not read the earlier ones are cut.
    if (this.#text.writableLength > MAX_BACKLOG_BYTES) this.#text.destroy();
    else this.#text.write(text);
  }
}

export function acceptsEvents(exchange: Exchange): boolean {
  return exchange.header("accept")?.includes("text/event-stream") ?? false;
}
