/** Events out of a stream, however its bytes were cut on the way; and a stream that has fallen silent. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { eventIn, eventsIn, Silence, type SseEvent } from "./sse.ts";

const TEXT = 'event: hello\ndata: {"name":"salón 灯"}\n\n: still here\n\nevent: calls\ndata: {}\n\ndata: plain\n\n';
const EVENTS: readonly SseEvent[] = [
  { name: "hello", data: '{"name":"salón 灯"}' },
  { name: "calls", data: "{}" },
  { name: "message", data: "plain" },
];

function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of eventsIn(stream)) events.push(event);
  return events;
}

describe("a stream of events", () => {
  const bytes = new TextEncoder().encode(TEXT);

  it("is read in one piece", async () => assert.deepEqual(await readAll(streamOf(bytes)), EVENTS));

  it("is read byte by byte, also in the middle of a character", async () => {
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await readAll(streamOf(...single)), EVENTS);
  });

  it("is read in two pieces, wherever it is cut", async () => {
    for (let at = 0; at <= bytes.length; at++) {
      assert.deepEqual(await readAll(streamOf(bytes.subarray(0, at), bytes.subarray(at))), EVENTS, `cut at ${at}`);
    }
  });

  it("does not tell of an event that was cut off", async () => {
    assert.deepEqual(await readAll(streamOf(bytes.subarray(0, bytes.length - 2))), EVENTS.slice(0, 2));
  });

  it("is read by a browser that cannot go through it by itself", async () => {
    const plain = Object.defineProperty(streamOf(bytes), Symbol.asyncIterator, { value: undefined });
    assert.deepEqual(await readAll(plain), EVENTS);
  });

  it("is given up by who does not read on", async () => {
    let isGivenUp = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => {
        isGivenUp = true;
      },
    });
    for await (const _ of eventsIn(endless)) break;
    assert.equal(isGivenUp, true);
  });

  it("ends with the failure of what it is read from", async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut")) });
    await assert.rejects(readAll(broken), /cut/);
  });
});

describe("one event", () => {
  it("may have its data in several lines", () => {
    assert.deepEqual(eventIn("data: a\ndata:b\ndata:  c"), { name: "message", data: "a\nb\n c" });
  });

  it("is none without data", () => {
    for (const block of ["", ": still here", "event: calls", "id: 7\nretry: 5"]) {
      assert.equal(eventIn(block), undefined, block);
    }
  });
});

beforeEach(() => mock.timers.enable({ apis: ["setInterval", "Date"] }));
afterEach(() => mock.timers.reset());

describe("silence", () => {
  it("is noticed when it has lasted", () => {
    const silence = new Silence(20_000);
    mock.timers.tick(19_000);
    assert.equal(silence.signal.aborted, false);
    mock.timers.tick(5_000);
    assert.equal(silence.signal.aborted, true);
  });

  it("begins anew with every word", () => {
    const silence = new Silence(20_000);
    for (let word = 0; word < 10; word++) {
      mock.timers.tick(15_000);
      silence.heard();
    }
    assert.equal(silence.signal.aborted, false);
    mock.timers.tick(25_000);
    assert.equal(silence.signal.aborted, true);
  });

  it("is nobody's business afterwards", () => {
    const silence = new Silence(20_000);
    silence.end();
    mock.timers.tick(100_000);
    assert.equal(silence.signal.aborted, false);
  });
});
