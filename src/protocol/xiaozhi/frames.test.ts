import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { envelope, helloOf, methodOf, readFrame } from "./frames.ts";

const LIMITS = { depth: 64, elements: 10_000 };
const read = (text: string) => readFrame(text, LIMITS);

describe("a frame", () => {
  it("with JSON-RPC by itself is bare, whatever stands inside of it", () => {
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","type":"mcp","payload":{"a":1}}',
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}',
      '[{"type":"hello"}]',
      '{"type":',
      "",
    ]) {
      assert.deepEqual(read(text), { kind: "bare" }, text);
    }
  });

  it("with an envelope holds its message as it was written, in whatever order", () => {
    const message = '{ "jsonrpc":"2.0", "id":12345678901234567890, "method":"x" }';
    for (const text of [
      envelope(message, "s"),
      `{"type":"mcp","payload":${message}}`,
      `{ "payload" : ${message}, "session_id":"", "type":"mcp" }`,
    ]) {
      assert.deepEqual(read(text), { kind: "mcp", payload: message }, text);
    }
  });

  it("that is about speech, or holds nothing, is passed over", () => {
    for (const text of [
      '{"type":"listen","state":"start"}',
      '{"type":"mcp"}',
      '{"type":"mcp","payload":null}',
      '{"type":"mcp","payload":{}}',
      '{"type":"mcp","payload":"{}"}',
      '{"type":7}',
    ]) {
      assert.deepEqual(read(text), { kind: "other" }, text);
    }
  });

  it("with a hello tells what the device can do", () => {
    const audio = { format: "opus", sample_rate: 16000 };
    const hello = { type: "hello", version: 3, features: { mcp: true }, audio_params: audio };
    assert.deepEqual(read(JSON.stringify(hello)), {
      kind: "hello",
      hello: { mcp: true, version: 3, audioParams: JSON.stringify(audio) },
    });
    for (const features of [undefined, null, {}, { mcp: false }, { mcp: 1 }, "mcp", []]) {
      const frame = read(JSON.stringify({ type: "hello", features }));
      assert.ok(frame.kind === "hello" && !frame.hello.mcp, JSON.stringify(features));
    }
  });

  it("asks for something by its own method alone", () => {
    assert.equal(methodOf('{"id":1,"method":"tools/\\u006cist"}', LIMITS), "tools/list");
    for (const text of ['{"id":1,"result":{"method":"x"}}', "[]", "{", "{}"]) {
      assert.equal(methodOf(text, LIMITS), undefined, text);
    }
    for (const text of ['{"method":7}', '{"method":', '"method"', '[{"method":"x"}]']) {
      assert.equal(methodOf(text, LIMITS), "", text);
    }
  });

  it("that answers a hello has what devices look for, and their own sound", () => {
    const audioParams = '{"format":"opus"}';
    const told = JSON.parse(helloOf('a"b', { mcp: true, version: 1, audioParams }));
    assert.deepEqual(told, {
      type: "hello",
      version: 1,
      transport: "websocket",
      session_id: 'a"b',
      audio_params: { format: "opus" },
    });
    assert.equal(
      JSON.parse(helloOf("s", { mcp: true, version: 1, audioParams: undefined })).audio_params.format,
      "opus",
    );
  });
});
