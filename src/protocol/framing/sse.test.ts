import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { ZaguanError } from "../../errors.ts";
import { encodeSse, encodeSsePlace, type SseEvent, SseParser } from "./sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("reading an event stream", () => {
  it("reads type, id and data, one space after the colon left out", () => {
    const events = parse("event: message\nid: 7\ndata: hello\n\ndata:tight\n\ndata:  wide\n\n");
    assert.deepEqual(events, [
      { type: "message", data: "hello", id: "7" },
      { type: "message", data: "tight" },
      { type: "message", data: " wide" },
    ]);
  });

  it("ends lines with LF, CR or CRLF, mixed as they please", () => {
    const expected = [
      { type: "message", data: "a\nb" },
      { type: "message", data: "c" },
    ];
    for (const end of ["\n", "\r", "\r\n"]) {
      assert.deepEqual(parse(["data: a", "data: b", "", "data: c", "", ""].join(end)), expected);
    }
    assert.deepEqual(parse("data: a\r\ndata: b\r\rdata: c\n\n"), expected);
  });

  it("passes over comments, unknown fields and a byte-order mark at the start", () => {
    assert.deepEqual(parse("\uFEFFdata: x\n: life\nfoo: bar\ndata\n\n:\n\n"), [{ type: "message", data: "x\n" }]);
    assert.deepEqual(parse("data: x\n\n\uFEFFdata: y\n\n"), [{ type: "message", data: "x" }]);
  });

  it("delivers an event without data only if it carries an id", () => {
    assert.deepEqual(parse("data:\n\nevent: ping\n\nid: 3\ndata:\n\nid: 4\n\n"), [
      { type: "message", data: "", id: "3" },
      { type: "message", data: "", id: "4" },
    ]);
  });

  it("takes no id with NUL in it, and no id of an earlier event", () => {
    assert.deepEqual(parse("id: a\0b\ndata: x\n\nid: 1\ndata: y\n\ndata: z\n\n"), [
      { type: "message", data: "x" },
      { type: "message", data: "y", id: "1" },
      { type: "message", data: "z" },
    ]);
  });

  it("tells the retry time if it is a whole number", () => {
    const retries: number[] = [];
    const parser = new SseParser(
      100,
      () => {},
      (ms) => retries.push(ms),
    );
    parser.push(bytes("retry: 1500\nretry: soon\nretry: -1\nretry: 1e3\nretry:20\n\n"));
    assert.deepEqual(retries, [1500, 20]);
  });

  it("throws away what no blank line has closed", () => {
    assert.deepEqual(parse("data: whole\n\ndata: cut\n"), [{ type: "message", data: "whole" }]);
  });

  it("is not misled by chunks: byte by byte gives the same", () => {
    const text = '\uFEFFid: 1\r\ndata: {"ñ":"日本 🏠"}\r\n\r\n: c\rdata: a\rdata: b\r\revent: e\ndata: \n\n';
    const whole = parse(text);
    assert.equal(whole.length, 2);
    assert.deepEqual(parse(text, Array.from(bytes(text)).map(Number)), whole);
  });

  it("gives what was encoded, cut anywhere (property)", () => {
    const part = fc.string({
      unit: fc.constantFrom("a", ":", " ", "\n", "\r", "\r\n", "é", "🏠", "data: ", "\0"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part, part)), fc.array(fc.nat(20)), (events, cuts) => {
        const text = events.map(([data, id, type]) => encodeSse(data, id, type)).join(": life\n");
        const expected = events.map(([data, id, type]) => ({
          type: withoutBreaks(type) || "message",
          data: data.replace(/\r\n?/g, "\n"),
          id: withoutBreaks(id),
        }));
        assert.deepEqual(parse(text, cuts), expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the limit of an event", () => {
  const isTooLarge = (error: unknown) => error instanceof ZaguanError && error.code === "TOO_LARGE";

  it("holds for one endless line, for endless lines, for an endless comment", () => {
    for (const [head, more] of [
      ["data: ", "x".repeat(10)],
      ["", "data: x\n"],
      ["", "id: 1\n"],
      [": ", "x".repeat(10)],
    ] as const) {
      const parser = new SseParser(100, () => assert.fail("no event has ended"));
      parser.push(bytes(head));
      let pushed = 0;
      const push = () => {
        for (; pushed < 1000; pushed++) parser.push(bytes(more));
      };
      assert.throws(push, isTooLarge, `${head}${more}`);
      assert.ok(pushed * more.length <= 120, "cut at once");
    }
  });

  it("does not end the reading where such an event is passed over: it is told, and the next is read", () => {
    const data = `{"id":1,"result":"${"x".repeat(300)}"}`;
    const text = `data: a\n\nid: 7\ndata: ${data}\n\n: comment\ndata: b\r\n\r\n`;
    for (const step of [1, 7, 150, 1000]) {
      const seen: unknown[] = [];
      const parser = new SseParser(
        100,
        ({ data }) => seen.push(data),
        undefined,
        (cut) => seen.push(cut),
      );
      for (let at = 0; at < text.length; at += step) parser.push(bytes(text.slice(at, at + step)));
      assert.deepEqual(seen, ["a", { bytes: data.length, limit: 100, head: data, tail: data }, "", "b"], `${step}`);
    }
  });

  it("ends the reading where such an event has no end", () => {
    const parser = new SseParser(
      100,
      () => {},
      undefined,
      () => assert.fail("it has no end"),
    );
    parser.push(bytes(`data: ${"x".repeat(6_000)}`));
    assert.throws(() => parser.push(bytes("x".repeat(1_000))), isTooLarge);
  });

  it("is per event: any number of small ones and of comments may follow each other", () => {
    let count = 0;
    const parser = new SseParser(40, () => count++);
    for (let i = 0; i < 100; i++) parser.push(bytes(`: ${"c".repeat(30)}\ndata: ${"d".repeat(34)}\n\n`));
    assert.equal(count, 100);
  });
});

describe("writing an event stream", () => {
  it("lets no text begin a field of its own", () => {
    assert.equal(encodeSse("a\ndata: b\r\nid: 9\rretry: 1"), "data: a\ndata: data: b\ndata: id: 9\ndata: retry: 1\n\n");
    assert.equal(encodeSse("x", "1\nretry: 5", "m\r\ndata: y"), "event: mdata: y\nid: 1retry: 5\ndata: x\n\n");
  });

  it("can carry an id alone", () => {
    assert.deepEqual(parse(encodeSse("", "s1")), [{ type: "message", data: "", id: "s1" }]);
  });

  it("can tell where to come back to, and when", () => {
    const text = encodeSsePlace("s-0\ndata: x", 2_000);
    const retries: number[] = [];
    new SseParser(
      1_000,
      () => {},
      (ms) => retries.push(ms),
    ).push(bytes(text));
    assert.deepEqual([parse(text), retries], [[{ type: "message", data: "", id: "s-0data: x" }], [2_000]]);
  });
});

/** Parses the text cut into pieces of the given sizes (all the rest in one, one byte each where a size is 0). */
function parse(text: string, sizes: readonly number[] = []): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = new SseParser(10_000, (event) => events.push(event));
  let rest = bytes(text);
  for (const size of sizes) {
    const length = sizes.length >= rest.length ? 1 : size;
    parser.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  parser.push(rest);
  parser.end();
  return events;
}

function withoutBreaks(text: string): string {
  return text.replace(/[\r\n\0]/g, "");
}
