import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { encodeCall, encodeError, encodeReady, encodeResult, parseServerLine } from "./codec.ts";

describe("writing lines", () => {
  test("gives the seed's own lines, to the letter", () => {
    assert.equal(encodeResult("1", '{"ok":true}'), '{"type":"result","id":1,"ok":true,"result":{"ok":true}}');
    assert.equal(
      encodeError("3", "Luz 'inexistente' no encontrada"),
      `{"type":"error","id":3,"ok":false,"error":"Luz 'inexistente' no encontrada"}`,
    );
    assert.equal(
      encodeCall(1, "set_light_state", '{"name":"salon","on":true}'),
      '{"type":"call","id":1,"tool":"set_light_state","args":{"name":"salon","on":true}}',
    );
    assert.equal(encodeReady("0.1.0", []), '{"type":"ready","version":"0.1.0","tools":[]}');
  });

  test("announces tools with the seed's keys, and no output schema where there is none", () => {
    const tool = { name: "a", description: "b", input_schema: { type: "object" }, output_schema: undefined };
    assert.equal(
      encodeReady("0.1.0", [tool]),
      '{"type":"ready","version":"0.1.0","tools":[{"name":"a","description":"b","input_schema":{"type":"object"}}]}',
    );
  });

  for (const id of ["0", '""', '"a\\u00e9"', "1.50", "123456789012345678901234567890", '{"b":1, "a":[2]}', "null"]) {
    test(`repeats the id ${id} as it was written`, () => {
      assert.equal(encodeResult(id, "1"), `{"type":"result","id":${id},"ok":true,"result":1}`);
      assert.equal(encodeError(id, "e"), `{"type":"error","id":${id},"ok":false,"error":"e"}`);
    });
  }

  test("stays on one line whatever white space or separators the text holds", () => {
    const separators = "a\u2028b\u2029c\nd\re";
    const line = encodeResult("1", `{\r\n  "text": ${JSON.stringify(separators)}\n}`);
    assert.equal(/[\r\n\u2028\u2029]/.test(line), false);
    assert.deepEqual(JSON.parse(line).result, { text: separators });
    assert.equal(JSON.parse(encodeError("1", separators)).error, separators);
    assert.deepEqual(JSON.parse(encodeCall(1, separators, '{\n"a":1}')).args, { a: 1 });
  });
});

describe("reading what a server says", () => {
  test("finds the tools in ready, as Python writes it", () => {
    const line =
      '{"type": "ready", "version": "0.1.0", "tools": [{"name": "a", "description": "Qué", ' +
      '"input_schema": {"type": "object"}, "output_schema": {"type": "object"}}]}';
    assert.deepEqual(parseServerLine(line), {
      type: "ready",
      version: "0.1.0",
      tools: [{ name: "a", description: "Qué", input_schema: { type: "object" }, output_schema: { type: "object" } }],
    });
  });

  test("makes do with tools that say little, and leaves out what has no name", () => {
    const line = '{"type":"ready","tools":[{"name":"a"},{"name":""},{"description":"b"},null,7]}';
    assert.deepEqual(parseServerLine(line), {
      type: "ready",
      version: "",
      tools: [{ name: "a", description: "", input_schema: { type: "object" } }],
    });
  });

  test("cuts a result out as it was written", () => {
    const result = '{"n": 12345678901234567890, "x": 1.0}';
    const line = `{"type": "result", "id": 7, "ok": true, "result": ${result}}`;
    assert.deepEqual(parseServerLine(line), { type: "result", id: 7, resultText: result });
    assert.deepEqual(parseServerLine('{"type":"result","id":7}'), { type: "result", id: 7, resultText: "null" });
  });

  test("gives an error's text, or its JSON if it is no text", () => {
    assert.deepEqual(parseServerLine('{"type":"error","id":null,"error":"no"}'), {
      type: "error",
      id: null,
      error: "no",
    });
    assert.deepEqual(parseServerLine('{"type":"error","id":1,"error":{"a":1}}'), {
      type: "error",
      id: 1,
      error: '{"a":1}',
    });
  });

  for (const noise of [
    "⚠️  Archivo de configuración no encontrado. Creando config.yaml",
    "",
    "7",
    "[]",
    "null",
    "{}",
    '{"type":"call","id":1,"tool":"x"}',
    '{"type":7}',
    '{"type":"ready"}',
    '{"type":"ready","tools":{}}',
    '{"type":"result","id":1',
  ]) {
    test(`takes ${noise || "an empty line"} for noise`, () => assert.equal(parseServerLine(noise), undefined));
  }
});
