/** One who watches the hub over `GET /events`: everything that it was told, and what comes next. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { LiveEvents } from "../../src/doors/live/views.ts";
import { EventReader } from "./clients/event-reader.ts";
import { until } from "./processes.ts";

export interface LiveEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions say what is expected
  readonly data: any;
}

export class LiveStream {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly events: LiveEvent[] = [];
  /** What stands between events. */
  text = "";
  isOver = false;
  readonly #response: IncomingMessage;

  /** Resolves at the head of the answer, whatever it is. */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<LiveStream> {
    const asking = request(`${url}/events`, { headers, agent: false });
    asking.end();
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    return new LiveStream(response);
  }

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    const reader = new EventReader((name, data) => this.events.push({ name, data: JSON.parse(data) }));
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      this.text += chunk;
      if (this.status === 200) reader.push(chunk);
    });
    response.on("error", () => {});
    response.on("close", () => {
      this.isOver = true;
    });
  }

  named<Name extends keyof LiveEvents>(name: Name): LiveEvents[Name][] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data as LiveEvents[Name]);
  }

  /** The first of this name that fits, whether it has come or will. */
  async find<Name extends keyof LiveEvents>(
    name: Name,
    fits: (data: LiveEvents[Name]) => boolean = () => true,
  ): Promise<LiveEvents[Name]> {
    const found = (): LiveEvents[Name] | undefined => this.named(name).find(fits);
    await until(`an event "${name}" that fits`, () => found() !== undefined || this.isOver).catch((cause: Error) => {
      throw new Error(`${cause.message}; there were: ${this.events.map((event) => event.name).join(" ")}`);
    });
    return found() ?? assert.fail(`the stream ended without "${name}"`);
  }

  hello(): Promise<LiveEvents["hello"]> {
    return this.find("hello");
  }

  /** Reads no more, as one whose tab sleeps. */
  pause(): void {
    this.#response.pause();
  }

  close(): void {
    this.#response.destroy();
  }
}
