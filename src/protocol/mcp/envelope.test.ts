import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { type RpcCall, readMessage } from "../json-rpc/message.ts";
import { metaBesideEnvelope, revisionIn, withEnvelope, withoutEnvelope, withoutMeta } from "./envelope.ts";

const ENVELOPE =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},' +
  '"io.modelcontextprotocol/clientInfo":{"name":"c"},"io.modelcontextprotocol/logLevel":"info"';

describe("the envelope of a request", () => {
  it("ends here; what else the caller sent goes on as it was written", () => {
    const rest = `"traceparent":"00-1","big":12345678901234567890,"a\\u0062":{ "x" : 1.0 }`;
    assert.equal(
      metaBesideEnvelope(call(`{"_meta":{${ENVELOPE},${rest}}}`))?.text,
      '{"traceparent":"00-1","big":12345678901234567890,"ab":{ "x" : 1.0 }}',
    );
  });

  it("changes nothing where there is none", () => {
    assert.equal(metaBesideEnvelope(call('{"_meta":{ "a" : 1.0 }}'))?.text, '{ "a" : 1.0 }');
    for (const params of ['{"_meta":null}', '{"_meta":[]}', '{"_meta":"a"}', "[]"]) {
      assert.equal(metaBesideEnvelope(call(params)), undefined, params);
    }
  });

  it("leaves nothing where there was nothing else", () => {
    for (const params of [`{"_meta":{${ENVELOPE}}}`, '{"_meta":{}}', "{}"]) {
      assert.equal(metaBesideEnvelope(call(params)), undefined, params);
    }
  });
});

function call(params: string): RpcCall {
  const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`;
  const message = readMessage(text, { depth: 64, elements: 1_000 });
  assert.ok(message.kind === "call");
  return message;
}

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
