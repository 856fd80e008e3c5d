/** Reading documents: both notations, both versions, and everything that is refused before anybody looks inside. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { ZaguanError } from "../errors.ts";
import { readDocument } from "./document.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import { readYaml } from "./yaml-tree.ts";

const HEAD = 'openapi: 3.0.3\ninfo: { title: t, version: "1" }\n';

function refusal(text: string, limits: Partial<ReadLimits> = {}): string {
  try {
    readDocument(text, limits);
  } catch (cause) {
    assert.ok(cause instanceof ZaguanError, String(cause));
    assert.equal(cause.code, "INVALID_PARAMS");
    return String(cause.details.params?.["reason"]);
  }
  return assert.fail("was read");
}

test("JSON and YAML give the same document", () => {
  const json = readDocument('\uFEFF{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{}}}}}}');
  const yaml = readDocument('openapi: "3.1.0"\npaths:\n  /a:\n    get:\n      responses:\n        200: {}\n');
  assert.deepEqual(yaml.root, json.root);
  assert.equal(json.dialect, "3.1");
  assert.equal(readDocument(HEAD).dialect, "3.0");
});

test("every JSON value is read from YAML as from JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify({ value });
      assert.deepEqual(readYaml(text, READ_LIMITS), JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test("no text ends in anything but a document or a refusal", () => {
  const pieces = fc.constantFrom(
    "openapi: 3.0.0\n",
    "a: ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "\n",
    "  ",
    '"',
    "|\n",
    "? ",
    "!!x ",
    "<<: ",
    "#",
    "---\n",
    ",",
    "x",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      try {
        readDocument(parts.join(""));
      } catch (cause) {
        assert.ok(cause instanceof ZaguanError && cause.code === "INVALID_PARAMS", String(cause));
      }
    }),
    { numRuns: 500 },
  );
});

test("anchors, aliases and merge keys are written out", () => {
  const { root } = readDocument(
    `${HEAD}x-a: &a { one: 1, two: 2 }\nx-b: *a\nx-c: { <<: *a, two: 3 }\nx-d: { <<: [*a, *a] }\n`,
  );
  assert.deepEqual(root["x-b"], { one: 1, two: 2 });
  assert.deepEqual(root["x-c"], { two: 3, one: 1 });
  assert.deepEqual(root["x-d"], { one: 1, two: 2 });
});

test("a key that is no plain word stays what was written, and __proto__ is a key like others", () => {
  const { root } = readDocument(`${HEAD}x-k: { 200: a, 1.10: b, null: c, __proto__: { d: 1 } }\n`);
  assert.deepEqual(Object.keys(root["x-k"] as object), ["200", "1.10", "null", "__proto__"]);
  assert.equal(({} as Record<string, unknown>)["d"], undefined);
});

test("what is not an OpenAPI 3 document is refused with what it is", () => {
  assert.match(refusal(""), /is empty/);
  assert.match(refusal("[]"), /is not an object/);
  assert.match(refusal("{"), /is not JSON/);
  assert.match(refusal("a: [1"), /line 1.*is not YAML/);
  assert.match(refusal("a: 1\na: 2"), /line 2, column 1: has the key "a" twice/);
  assert.match(refusal("---\na: 1\n---\nb: 1\n"), /more than one/);
  assert.match(refusal('{"swagger":"2.0"}'), /Swagger 2\.0 is not read/);
  assert.match(refusal('{"openapi":"4.0.0"}'), /version 4\.0\.0/);
  assert.match(refusal("{}"), /no OpenAPI 3 document/);
  for (const version of ['{"toString":0}', "[[]]", "null", "true"])
    assert.match(refusal(`{"openapi":${version}}`), /no OpenAPI 3 document/, version);
});

test("a reference that leaves the document is refused, and where it stands is said", () => {
  for (const reference of ["https://example.org/x.json#/a", "other.yaml", "file:///etc/passwd", "//h/x"]) {
    const text = JSON.stringify({ openapi: "3.1.0", components: { schemas: { example: { $ref: reference } } } });
    assert.match(refusal(text), /components\.schemas\.example: refers to another document .*bundle/);
  }
});

test("in somebody's data $ref is only a word", () => {
  readDocument('{"openapi":"3.1.0","x-a":{"$ref":"http://x"},"components":{"schemas":{"a":{"example":{"$ref":"x"}}}}}');
});

test("too much is refused: bytes, depth, parts, pieces and aliases", () => {
  assert.match(refusal(`{"a":"${"x".repeat(20_000_000)}"}`), /larger than 16 MB/);
  assert.match(refusal("é".repeat(60), { bytes: 100 }), /larger than 100 bytes/);
  assert.match(refusal(`a: ${"x".repeat(5_000_000)}`), /larger than 5 MB, the most for YAML/);
  assert.match(refusal(`{"openapi":"3.0.0","a":${"[".repeat(1_000_000)}`), /deeper than 100/);
  assert.match(refusal(`${HEAD}x: ${"[".repeat(500_000)}`), /line 3.*deeper than 100/);
  assert.match(refusal(`${HEAD}x:\n  ${"- ".repeat(500_000)}`), /deeper than 100/);
  assert.match(refusal(`{"openapi":"3.0.0","a":[${"1,".repeat(1_100_000)}1]}`), /more than 1000000 parts/);
  assert.match(refusal(`${HEAD}x: [${"1,".repeat(500_000)}]`), /more than 600000 pieces/);
  assert.match(refusal(`${HEAD}x: [&a 1, *a, *a, *a]`, { yamlAliases: 2 }), /more than 2 YAML aliases/);
});

test("brackets inside texts are no depth", () => {
  readDocument(JSON.stringify({ openapi: "3.0.0", "x-a": `\\"${"[{".repeat(500)}\\` }));
});

test("YAML bombs and aliases of themselves are refused", () => {
  const levels = Array.from({ length: 12 }, (_, i) => `x${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(",")}]`);
  assert.match(refusal(`${HEAD}x0: &a0 [1, 2]\n${levels.join("\n")}`), /more than 1000000 parts once its aliases/);
  assert.match(refusal(`${HEAD}x: &a [*a]`), /inside what it stands for/);
  assert.match(refusal(`${HEAD}x: *nobody`), /anchor nobody, which is not there/);
});
