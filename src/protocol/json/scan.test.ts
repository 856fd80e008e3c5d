import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc, runs } from "../../../test/support/seed.ts";
import { type Member, memberOf, scanJson } from "./scan.ts";

const LIMITS = { depth: 64, elements: 10_000 };
/** What one character of a sound text is exchanged for. */
const PIECES = [
  "",
  "{",
  "}",
  "[",
  ",",
  '"',
  "\\",
  "\u0001",
  "\n",
  "1",
  "e",
  "-",
  ".",
  "0",
  "\\u00",
  "\\/",
  "x".repeat(50),
];

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
      { numRuns: runs(2_000) },
    );
  });

  it("cuts members out with the characters they were written in", () => {
    const text = ' {"id": 9007199254740993, "params" : {"name":"a", "arguments":{ "x" : 1.0e2 }, "of":{"y":{}}}} ';
    const scan = scanJson(text, LIMITS);
    assert.ok(scan.ok);
    const id = memberOf(scan.members, "id");
    const params = memberOf(scan.members, "params");
    assert.ok(id && params);
    assert.equal(text.slice(id.start, id.end), "9007199254740993");
    const args = memberOf(params.members, "arguments");
    assert.ok(args);
    assert.equal(text.slice(args.start, args.end), '{ "x" : 1.0e2 }');
    assert.deepEqual(
      args.members.map(({ key, kind }) => `${key}: ${kind}`),
      ["x: number"],
    );
    assert.deepEqual(memberOf(params.members, "of")?.members, [], "deeper ones are kept of arguments alone");
  });

  it("finds in every member what JSON.parse finds", () => {
    fc.assert(
      fc.property(fc.dictionary(anyKey(), anyMember()), fc.constantFrom(0, 1), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const scan = scanJson(text, LIMITS, { refuseDuplicates: false });
        assert.ok(scan.ok, text);
        assertMembers(text, scan.members, value);
      }),
      { numRuns: runs(1_000), examples: [[{ "": { arguments: { "": null } } }, 0]] },
    );
  });

  it("looks into _meta one level deeper, and into one member alone if told so", () => {
    const text = '{"params":{"_meta":{"a":1,"_meta":{"b":2}},"x":{"c":3}},"result":{"d":4}}';
    const all = scanJson(text, LIMITS);
    assert.ok(all.ok);
    const params = memberOf(all.members, "params")?.members ?? [];
    assert.deepEqual(keysOf(memberOf(params, "_meta")?.members), ["a", "_meta"]);
    assert.deepEqual(keysOf(memberOf(params, "x")?.members), []);
    assert.deepEqual(keysOf(memberOf(all.members, "result")?.members), ["d"]);
    const one = scanJson(text, LIMITS, { refuseDuplicates: true, into: "params" });
    assert.ok(one.ok);
    assert.deepEqual(keysOf(memberOf(one.members, "params")?.members), ["_meta", "x"]);
    assert.deepEqual(keysOf(memberOf(one.members, "result")?.members), []);
  });

  it("sees what is wrong at every place of a string, short or long, plain or not", () => {
    for (const filler of ["x", "é", "я", "\\n", '\\"', "\\u00e9"]) {
      for (let length = 0; length < 130; length++) {
        const before = filler.repeat(length);
        assert.ok(scanJson(`["${before}"]`, LIMITS).ok);
        const at = before.length + 2;
        assert.equal(
          reasonOf(`["${before}\u0001"]`),
          `Invalid control character at: line 1 column ${at + 1} (char ${at})`,
        );
        assert.equal(reasonOf(`["${before}\\x"]`), `Invalid \\escape: line 1 column ${at + 1} (char ${at})`);
        assert.equal(
          reasonOf(`["${before}\\u00g0"]`),
          `Invalid \\uXXXX escape: line 1 column ${at + 2} (char ${at + 1})`,
        );
        assert.equal(reasonOf(`["${before}`), "Unterminated string starting at: line 1 column 2 (char 1)");
      }
    }
  });

  it("remembers nothing of the text before", () => {
    const text = '{"a":[1,2.5e+3,{"b":"c","d":[true,null]}],"e":-0.5}  ';
    for (let length = 0; length < text.trimEnd().length; length++) {
      assert.ok(scanJson(text, LIMITS).ok);
      assert.equal(scanJson(text.slice(0, length), LIMITS).ok, false, text.slice(0, length));
    }
  });

  it("reads texts of any length", () => {
    for (const length of [4_000, 4_096, 5_000, 70_000, 2 ** 20 - 10, 2 ** 20, 3_000_000]) {
      const text = `{"a":"${"x".repeat(length)}","b":{"c":"${'\\"'.repeat(length / 8)}"},"d":[1,2]}`;
      const scan = scanJson(text, LIMITS);
      assert.ok(scan.ok);
      assert.deepEqual(keysOf(scan.members), ["a", "b", "d"]);
      assert.equal(text.slice(scan.members[2]?.start, scan.members[2]?.end), "[1,2]");
      assert.equal(scanJson(`${text}}`, LIMITS).ok, false);
    }
  });

  it("finds a key however it is escaped, and refuses it when it comes twice", () => {
    const scan = scanJson('{"\\u0069d":1}', LIMITS);
    assert.ok(scan.ok && memberOf(scan.members, "id"));
    assert.match(reasonOf('{"id":1,"\\u0069d":2}'), /'id' appears twice/);
    assert.match(reasonOf(`{${keys(20)},"k7":0}`), /'k7' appears twice/);
    assert.match(reasonOf('{"params":{"a":{"b":1,"b":2}}}'), /'b' appears twice/);
  });

  it("refuses a key that comes twice however deep, late, long or hidden", () => {
    const long = "k".repeat(100);
    const twice = ['"a":1,"a":2', '"a":1,"\\u0061":2', '"\\u0061":1,"a":2', `"${long}":1,"b":2,"${long}":3`];
    for (const pair of [...twice, `${keys(9)},"k0":0`, `${keys(9)},"k8":0`, `${keys(8)},"\\u006b7":0`]) {
      for (const text of [`{${pair}}`, `{"p":{${pair}}}`, `{"p":{"q":{${pair}}}}`, `[{"k0":{"k0":1}},{${pair}}]`]) {
        assert.match(reasonOf(text), /^Key '.+' appears twice$/, text);
        assert.ok(scanJson(text, LIMITS, { refuseDuplicates: false }).ok);
      }
    }
    const sound = `{"p":{"q":{${keys(12)},"k":{${keys(12)}},"${long}":[{${keys(2)}},{${keys(2)}}]}}}`;
    assert.ok(scanJson(sound, LIMITS).ok, "the same key in another object is another key");
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

/** Each value as `JSON.parse` reads it, and the members of objects as far as they are kept. */
function assertMembers(text: string, members: readonly Member[], value: object, depth = 1): void {
  assert.deepEqual(keysOf(members).toSorted(), Object.keys(value).toSorted());
  for (const { key, kind, start, end, escaped, members: inner } of members) {
    const expected = (value as Record<string, unknown>)[key];
    const slice = text.slice(start, end);
    assert.deepEqual(JSON.parse(slice), JSON.parse(JSON.stringify(expected)));
    assert.equal(escaped, kind === "string" && slice !== `"${expected}"`);
    const isObject = typeof expected === "object" && expected !== null && !Array.isArray(expected);
    assert.equal(kind === "object", isObject);
    if (isObject && isKept(key, depth)) assertMembers(text, inner, expected, depth + 1);
    else assert.equal(inner.length, 0);
  }
}

/** The members of an object are kept directly inside the outermost one, and one level deeper of these two keys. */
function isKept(key: string, depth: number): boolean {
  return depth === 1 || (depth === 2 && ["_meta", "arguments"].includes(key));
}

/** Short and long, plain and with escapes. */
function anyKey(): fc.Arbitrary<string> {
  const known = fc.constantFrom("_meta", "arguments", "params", "x".repeat(70), 'a"b', "é\n");
  return fc.oneof(fc.string({ maxLength: 8 }), known);
}

/** Any value, and objects with keys that mean something to the scanner, down to where they no longer do. */
function anyMember(): fc.Arbitrary<unknown> {
  const value = fc.jsonValue({ maxDepth: 4 });
  const inner = fc.dictionary(anyKey(), fc.oneof(value, fc.dictionary(anyKey(), value)));
  return fc.oneof(value, inner, fc.dictionary(anyKey(), inner));
}

function keysOf(members: readonly Member[] = []): string[] {
  return members.map(({ key }) => key);
}

function brokenJson(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.oneof(fc.json(), fc.json({ stringUnit: "binary", maxDepth: 3 })), fc.nat(), fc.constantFrom(...PIECES))
    .map(([text, place, piece]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + piece + text.slice(at + 1);
    });
}

function keys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",");
}
