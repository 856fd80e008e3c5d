import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type RpcCall, readMessage } from "../json-rpc/message.ts";
import { metaBesideEnvelope } from "./envelope.ts";

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
