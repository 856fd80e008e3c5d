/**
 * An SSE answer. A reader that does not read is cut before its backlog becomes our memory; a comment now and then keeps
 * proxies from closing a silent stream.
 */
import type { ServerResponse } from "node:http";
import { encodeSse } from "../../protocol/framing/sse.ts";

const MAX_BACKLOG_BYTES = 1_048_576;
const KEEP_ALIVE_MS = 15_000;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
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
  }

  send(message: string): void {
    this.#write(encodeSse(message, undefined, "message"));
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > MAX_BACKLOG_BYTES) this.#response.destroy();
  }
}
