/** One HTTP request on a connection of its own, with all the messages of its answer; it can be hung up at any moment. */
import { type IncomingHttpHeaders, request } from "node:http";
import { EventReader } from "./event-reader.ts";

export interface ExchangeOptions {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called with every message, or event, of the answer. */
  onData?(data: string, event: string): void;
}

export class HttpExchange {
  readonly head: Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>;
  /** Resolves when nothing more will come, however it ended. */
  readonly ended: Promise<void>;
  readonly #hangUp: () => void;
  readonly #events: EventReader;

  constructor({ method, url, headers, body, onData = () => {} }: ExchangeOptions) {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(url, { method, agent: false, headers: { ...type, ...headers } });
    this.#hangUp = () => sent.destroy();
    const events = new EventReader((event, data) => onData(data, event));
    this.#events = events;
    this.ended = new Promise((resolve) => sent.on("close", resolve));
    this.head = new Promise((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
        const isStream = response.headers["content-type"]?.startsWith("text/event-stream");
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          if (isStream) events.push(chunk);
          else text += chunk;
        });
        response.on("end", () => text !== "" && onData(text, "message"));
        response.on("error", () => {});
      });
    });
    // Whoever hangs up does not wait for an answer.
    this.head.catch(() => {});
    sent.end(body);
  }

  /** Where the stream can be taken up again; empty while there is no such place. */
  get lastEventId(): string {
    return this.#events.lastId;
  }

  hangUp(): void {
    this.#hangUp();
  }
}
