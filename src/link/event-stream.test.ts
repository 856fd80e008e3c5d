import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { EventStream } from "./event-stream.ts";
import { noProgress } from "./http-body.ts";
import type { AnswerReader } from "./http-exchange.ts";

const STREAM = { "content-type": "text/event-stream" };

describe("the pauses of a stream that is asked for again", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("grow from one second to half a minute", () => {
    assert.deepEqual(pauses(8), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("begin with what the server asks for, but never are a busy loop", () => {
    assert.deepEqual(pauses(4, 3_000), [3_000, 6_000, 12_000, 24_000]);
    assert.deepEqual(pauses(4, 0), [100, 200, 400, 800]);
    assert.deepEqual(pauses(12, 100).slice(8), [25_600, 30_000, 30_000, 30_000]);
  });

  it("are as long as the server asks for where that is longer, up to five minutes", () => {
    assert.deepEqual(pauses(3, 45_000), [45_000, 45_000, 45_000]);
    assert.deepEqual(pauses(2, 86_400_000), [300_000, 300_000]);
  });

  it("begin anew after an attempt that brought something", () => {
    const { reader, pause } = open();
    for (const ms of [1_000, 2_000, 4_000]) {
      reader().onEnd(undefined);
      assert.equal(pause(), ms);
    }
    reader().onHead(200, STREAM, { cut: () => {} });
    reader().onData(Buffer.from("data: {}\n\n"), { cut: () => {} });
    reader().onEnd(undefined);
    assert.equal(pause(), 1_000);
  });
});

/** How long it waits after each of so many attempts that bring nothing. */
function pauses(count: number, retryMs?: number): number[] {
  const { reader, pause } = open(retryMs);
  return Array.from({ length: count }, () => {
    reader().onEnd(undefined);
    return pause();
  });
}

function open(retryMs?: number) {
  const readers: AnswerReader[] = [];
  const stream = new EventStream({
    name: "s",
    maxBytes: 1_000,
    maxFailures: 100,
    progress: { ...noProgress(), retryMs },
    handlers: { onMessage: () => {}, onNoise: () => {}, onTooLarge: () => {} },
    open: (_lastEventId, reader) => {
      readers.push(reader);
      return { cut: () => {} };
    },
    isWanted: () => true,
    onOver: () => {},
  });
  stream.start();
  return {
    reader: () => readers.at(-1) as AnswerReader,
    /** Lets time pass until it asks again, and tells how much that was. */
    pause: () => {
      const before = readers.length;
      let ms = 0;
      for (; readers.length === before && ms < 1_000_000; ms += 100) mock.timers.tick(100);
      return ms;
    },
  };
}
