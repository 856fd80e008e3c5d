/** Somebody at `GET /events`: keeps all that is told, by the name of the event. It knows nothing of the hub's code. */
import assert from "node:assert/strict";
import type { Message } from "./line-rpc.ts";
import { until } from "./processes.ts";

export interface LiveEvent {
  readonly name: string;
  readonly data: Message;
}

export class LiveEvents {
  readonly events: LiveEvent[] = [];
  readonly #leaving = new AbortController();
  #rest = "";

  /** Resolves when it was greeted. */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<LiveEvents> {
    const live = new LiveEvents();
    const answer = await fetch(`${url}/events`, { headers, signal: live.#leaving.signal });
    assert.equal(answer.status, 200);
    void live.#read(answer.body ?? assert.fail("no body"));
    await until("it says hello", () => live.events.length > 0);
    return live;
  }

  named(name: string): Message[] {
    return this.events.filter((event) => event.name === name).map(({ data }) => data);
  }

  /** The first of this name, of all that came or will come, that is as wanted. */
  async next(what: string, name: string, isIt: (data: Message) => boolean, limitMs = 90_000): Promise<Message> {
    await until(what, () => this.named(name).some(isIt), limitMs);
    return this.named(name).find(isIt) as Message;
  }

  forget(): void {
    this.events.length = 0;
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of body) this.#take(decoder.decode(bytes, { stream: true }));
    } catch (cause) {
      if (!this.#leaving.signal.aborted) throw cause;
    }
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (name !== undefined && data !== undefined) this.events.push({ name, data: JSON.parse(data) as Message });
    }
  }
}
