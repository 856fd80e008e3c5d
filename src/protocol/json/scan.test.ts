import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { memberOf, scanJson } from "./scan.ts";

const LIMITS = { depth: 64, elements: 10_000 };

function reasonOf(text: string): string {
  const scan = scanJson(text, LIMITS);
  assert.ok(!scan.ok, `expected a refusal of ${text}`);
  return scan.reason;
}

describe("scanning JSON", () => {
  it("accepts exactly what JSON.parse accepts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ maxLength: 40 }), brokenJson()), (text) => {
        const scan = scanJson(text, LIMITS, { refuseDuplicates: false });
        assert.equal(scan.ok, parses(text), text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("cuts members out with the characters they were written in", () => {
    const text = ' {"id": 9007199254740993, "params" : {"name":"a", "arguments":{ "x" : 1.0e2 }}} ';
    const scan = scanJson(text, LIMITS);
    assert.ok(scan.ok);
    const id = memberOf(scan.members, "id");
    const params = memberOf(scan.members, "params");
    assert.ok(id && params);
    assert.equal(text.slice(id.start, id.end), "9007199254740993");
    const args = memberOf(params.members, "arguments");
    assert.ok(args);
    assert.equal(text.slice(args.start, args.end), '{ "x" : 1.0e2 }');
    assert.deepEqual(args.members, [], "members deeper than the second level are not kept");
  });

  it("finds a key however it is escaped, and refuses it when it comes twice", () => {
    const scan = scanJson('{"\\u0069d":1}', LIMITS);
    assert.ok(scan.ok && memberOf(scan.members, "id"));
    assert.match(reasonOf('{"id":1,"\\u0069d":2}'), /'id' appears twice/);
    assert.match(reasonOf(`{${keys(20)},"k7":0}`), /'k7' appears twice/);
    assert.match(reasonOf('{"params":{"a":{"b":1,"b":2}}}'), /'b' appears twice/);
  });

  it("refuses what would reach an object's prototype", () => {
    assert.match(reasonOf('{"params":{"__proto__":{"admin":true}}}'), /__proto__/);
    assert.match(reasonOf('{"\\u005f_proto__":1}'), /__proto__/);
  });

  it("bounds depth and the number of elements", () => {
    assert.ok(scanJson("[".repeat(64) + "]".repeat(64), LIMITS).ok);
    assert.match(reasonOf("[".repeat(65) + "]".repeat(65)), /deeper than 64/);
    assert.match(reasonOf("[".repeat(2_000_000)), /deeper than 64/);
    assert.match(reasonOf(`[${"0,".repeat(10_000)}0]`), /More than 10000/);
  });

  it("words syntax errors as seed 000 shows them", () => {
    assert.equal(reasonOf("no json"), "Expecting value: line 1 column 1 (char 0)");
    assert.equal(
      reasonOf("{\n  'a': 1}"),
      "Expecting property name enclosed in double quotes: line 2 column 3 (char 4)",
    );
    assert.equal(reasonOf('{"a" 1}'), "Expecting ':' delimiter: line 1 column 6 (char 5)");
    assert.equal(reasonOf("[1 2]"), "Expecting ',' delimiter: line 1 column 4 (char 3)");
    assert.equal(reasonOf("{} x"), "Extra data: line 1 column 4 (char 3)");
    assert.equal(reasonOf('{"a": "b'), "Unterminated string starting at: line 1 column 7 (char 6)");
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function brokenJson(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", "{", "}", "[", ",", '"', "\\", "\u0001", "1", "e", "-", ".", "0"))
    .map(([text, place, piece]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + piece + text.slice(at + 1);
    });
}

function keys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",");
}
