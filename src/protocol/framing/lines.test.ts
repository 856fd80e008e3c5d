import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { LineSplitter } from "./lines.ts";
import type { CutMessage } from "./passed-over.ts";

interface Seen {
  readonly lines: string[];
  readonly tooLong: { bytes: number; head: string }[];
  readonly passed: CutMessage[];
}

describe("splitting bytes into lines", () => {
  it("delivers each line without its newline, and an empty line as an empty text", () => {
    assert.deepEqual(split(["one\ntwo\n\nthree\n"]).lines, ["one", "two", "", "three"]);
  });

  it("strips one carriage return, and only one", () => {
    assert.deepEqual(split(["one\r\ntwo\r\r\n\r\nth\rree"]).lines, ["one", "two\r", "", "th\rree"]);
  });

  it("delivers a last line without newline at the end, and nothing more when ended again", () => {
    const seen: string[] = [];
    const splitter = new LineSplitter(100, (line) => seen.push(line));
    splitter.push(bytes("one\ntw"));
    assert.deepEqual(seen, ["one"]);
    splitter.push(bytes("o"));
    splitter.end();
    splitter.end();
    assert.deepEqual(seen, ["one", "two"]);
  });

  it("says the same when the bytes come one by one, characters cut through", () => {
    const text = "salón 客厅\r\n💡 on\n\nlast é";
    const oneByOne = Array.from(bytes(text), (byte) => Uint8Array.of(byte));
    assert.deepEqual(run(oneByOne, 1000).lines, ["salón 客厅", "💡 on", "", "last é"]);
  });

  it("takes a line of exactly the limit and refuses one byte more", () => {
    const seen = split([`${"a".repeat(10)}\n${"b".repeat(11)}\nshort\n`], 10);
    assert.deepEqual(seen.lines, ["a".repeat(10), "short"]);
    assert.deepEqual(seen.tooLong, [{ bytes: 11, head: "b".repeat(11) }]);
  });

  it("reports a line without end once, at once, and goes on after its newline", () => {
    const seen: Seen = { lines: [], tooLong: [], passed: [] };
    const splitter = collect(seen, 10);
    splitter.push(bytes("12345"));
    splitter.push(bytes("678901"));
    assert.deepEqual(seen.tooLong, [{ bytes: 11, head: "12345678901" }]);
    for (let i = 0; i < 100; i++) splitter.push(bytes("x".repeat(50)));
    splitter.push(bytes("tail\nnext\n"));
    splitter.end();
    assert.equal(seen.tooLong.length, 1);
    assert.deepEqual(seen.lines, ["next"]);
  });

  it("reports a line that is too long at its very end, without swallowing the next", () => {
    assert.deepEqual(split(["12345", "678901\nnext\n"], 10).lines, ["next"]);
  });

  it("hands on no more than 8 KiB of a line that is too long, and no broken character", () => {
    const head = split([`a${"é".repeat(10_000)}`], 9000).tooLong[0]?.head;
    assert.equal(head, `a${"é".repeat(4095)}`);
  });

  it("tells at its newline how long a line was that is passed over, and how it began and ended", () => {
    const long = `{"id":1,${"x".repeat(20_000)},"end":true}`;
    for (const cuts of [[], [5], [9_000, 1, 1, 1], Array.from({ length: 400 }, () => 50)]) {
      const { passed, lines } = run(pieces(bytes(`${long}\nnext\n`), cuts), 1000);
      const expected = { bytes: long.length, limit: 1000, head: long.slice(0, 8192), tail: long.slice(-2048) };
      assert.deepEqual([passed, lines], [[expected], ["next"]]);
    }
  });

  it("says of a line that is passed over when its end is not worth waiting for", () => {
    const splitter = new LineSplitter(10, () => {});
    splitter.push(bytes("x".repeat(640)));
    assert.equal(splitter.isEndless, false);
    splitter.push(bytes("x"));
    assert.equal(splitter.isEndless, true);
    splitter.push(bytes("\n"));
    assert.equal(splitter.isEndless, false);
  });

  it("holds no more than the limit, however long the flood", () => {
    const before = process.memoryUsage().arrayBuffers;
    const splitter = new LineSplitter(1_048_576, () => {});
    const chunk = new Uint8Array(65_536).fill(0x61);
    for (let i = 0; i < 2000; i++) splitter.push(chunk);
    assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 1_048_576);
  });

  it("finds the same lines as the plain definition, for any bytes, any cuts and any limit", () => {
    const byte = fc.oneof({ weight: 1, arbitrary: fc.constantFrom(10, 13) }, { weight: 3, arbitrary: fc.nat(255) });
    const stream = fc.array(byte, { maxLength: 400 });
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.nat(60), { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (all, cuts, max) => {
          const expected = reference(Uint8Array.from(all), max);
          const seen = run(pieces(Uint8Array.from(all), cuts), max);
          assert.deepEqual(seen.lines, expected.lines);
          assert.equal(seen.tooLong.length, expected.tooLong);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("finds the same lines when a chunk holds more of them than one run", () => {
    const line = fc.string({ unit: "binary", maxLength: 300 }).map((text) => text.replaceAll("\n", " "));
    fc.assert(
      fc.property(fc.array(line, { minLength: 20, maxLength: 120 }), fc.nat(5000), (lines, cut) => {
        const all = bytes(`${lines.join("\n")}\n`);
        const seen = run(pieces(all, [cut]), 100_000);
        assert.deepEqual(seen.lines, reference(all, 100_000).lines);
      }),
      { numRuns: 60 },
    );
  });
});

function split(parts: readonly string[], max = 1000): Seen {
  return run(parts.map(bytes), max);
}

function run(chunks: readonly Uint8Array[], max: number): Seen {
  const seen: Seen = { lines: [], tooLong: [], passed: [] };
  const splitter = collect(seen, max);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return seen;
}

function collect(seen: Seen, max: number): LineSplitter {
  return new LineSplitter(max, (line) => seen.lines.push(line), {
    onTooLong: (count, head) => seen.tooLong.push({ bytes: count, head }),
    onPassed: (line) => seen.passed.push(line),
  });
}

/** The definition, with no thought for memory or speed. */
function reference(all: Uint8Array, max: number): { lines: string[]; tooLong: number } {
  const found = Buffer.from(all).toString("latin1").split("\n");
  if (found.at(-1) === "") found.pop();
  const fitting = found.filter((line) => line.length <= max);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const lines = fitting.map((line) => decoder.decode(Buffer.from(line, "latin1")).replace(/\r$/, ""));
  return { lines, tooLong: found.length - fitting.length };
}

function pieces(all: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const size of sizes) {
    parts.push(all.subarray(start, start + size));
    start += size;
  }
  parts.push(all.subarray(start));
  return parts;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
