import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { revisionIn, withEnvelope, withoutEnvelope, withoutMeta } from "./outgoing-envelope.ts";

/** Without a backslash: once V8 has read {"a":1,"\\\\":2}, it reads the second key of {"a":1,"\\"":3} as a backslash. */
const KEY = fc.string().filter((key) => !key.includes("\\"));

const P = "io.modelcontextprotocol/";
const CLIENT = { version: "2026-07-28", capabilities: '{ "roots":{} }', info: '{"name":"n"}' };
const WRITTEN = `"${P}protocolVersion":"2026-07-28","${P}clientCapabilities":{ "roots":{} },"${P}clientInfo":{"name":"n"}`;

describe("the envelope", () => {
  const put: Readonly<Record<string, string>> = {
    "{}": `{"_meta":{${WRITTEN}}}`,
    '{ "n":1.0 }': `{"_meta":{${WRITTEN}}, "n":1.0 }`,
    '{"_meta":{}, "big":12345678901234567890}': `{"_meta":{${WRITTEN}}, "big":12345678901234567890}`,
    '{"_meta" : { "x":1.50 }}': `{"_meta" : {${WRITTEN}, "x":1.50 }}`,
    '{"_meta":null}': `{"_meta":{${WRITTEN}}}`,
    [`{"_meta":{"${P}clientInfo":{"name":"other"},"x":1}}`]: `{"_meta":{${WRITTEN},"x":1}}`,
  };
  for (const [params, expected] of Object.entries(put)) {
    it(`is put into ${params}`, () => assert.equal(withEnvelope(params, CLIENT), expected));
  }

  it("names the least severe log messages wanted, if any are", () => {
    const { _meta } = JSON.parse(withEnvelope("{}", { ...CLIENT, logLevel: "info" }));
    assert.equal(_meta[`${P}logLevel`], "info");
  });

  const taken: Readonly<Record<string, string>> = {
    '{ "n":1.0 }': '{ "n":1.0 }',
    '{"_meta":{}}': '{"_meta":{}}',
    [`{"_meta":{"${P}logLevel":"info"}, "n":1.0}`]: '{"n":1.0}',
    [`{"n":1.0, "_meta":{"x":1.50, "${P}protocolVersion":"v"} }`]: '{"n":1.0, "_meta":{"x":1.50} }',
    [`{"_meta":{"io.modelcontextprotocol\\/clientInfo":{},"x":1}}`]: '{"_meta":{"x":1}}',
    [`{"_meta":{"${P}other":1}}`]: `{"_meta":{"${P}other":1}}`,
    [`{"arguments":{"_meta":{"${P}logLevel":"info"}}}`]: `{"arguments":{"_meta":{"${P}logLevel":"info"}}}`,
  };
  for (const [params, expected] of Object.entries(taken)) {
    it(`is taken out of ${params}`, () => assert.equal(withoutEnvelope(params), expected));
  }

  it("leaves everything else as it was, whatever that is", () => {
    fc.assert(
      fc.property(fc.dictionary(KEY, fc.jsonValue()), (value) => {
        const params = JSON.stringify(value);
        const { _meta, ...rest } = JSON.parse(withEnvelope(params, CLIENT));
        const { _meta: _, ...own } = JSON.parse(params);
        assert.deepEqual(rest, own);
        assert.equal(_meta[`${P}protocolVersion`], "2026-07-28");
      }),
      { numRuns: 200 },
    );
  });
});

it("params of a client of that era name their revision", () => {
  assert.equal(revisionIn(`{"_meta":{"${P}protocolVersion":"2026-07-28"}}`), "2026-07-28");
  assert.equal(revisionIn('{"_meta":{"io.modelcontextprotocol\\/protocolVersion":"v"}}'), "v");
  for (const params of ["{}", '{"_meta":{}}', `{"_meta":{"${P}protocolVersion":1}}`, `{"${P}protocolVersion":"v"}`]) {
    assert.equal(revisionIn(params), undefined, params);
  }
});

it("params name their revision wherever their own _meta stands, and nothing inside them does it for them", () => {
  const meta = (version: string): string => `"_meta":{"x":{"_meta":{}},"${P}protocolVersion":"${version}"}`;
  const inner = `{"a":1,${meta("inner")}}`;
  for (const params of [
    `{"name":"a","arguments":{},${meta("v")}}`,
    `{${meta("v")},"arguments":${inner}}`,
    `{"name":",\\"_meta\\":{","arguments":${inner},${meta("v")}}`,
    `{"name":"a" , ${meta("v")} }`,
    `{"a":1,"_meta":{"${P}protocolVersion":"v","x":{"a":1,${meta("inner")}}}}`,
  ]) {
    assert.equal(revisionIn(params), "v", params);
  }
  for (const params of [
    `{"name":"a","arguments":${inner}}`,
    `{"arguments":${inner},"_meta":{"x":1}}`,
    `[1,${inner}]`,
  ]) {
    assert.equal(revisionIn(params), undefined, params);
  }
});

it("any other member of _meta can be dropped, and the last takes _meta with it", () => {
  const isX = (key: string): boolean => key === "x";
  assert.equal(withoutMeta('{"a":1.0,"_meta":{"x":1,"y":2.0}}', isX), '{"a":1.0,"_meta":{"y":2.0}}');
  assert.equal(withoutMeta('{"a":1.0,"_meta":{"x":1}}', isX), '{"a":1.0}');
  assert.equal(withoutMeta("{}", isX), "{}");
});
