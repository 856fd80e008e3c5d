import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findId, readCut } from "./broken-message.ts";

describe("the id of a refused message", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["a number before what was refused", '{"jsonrpc":"2.0","id":7,"params":[[[]]]}', "7"],
    [
      "a number behind it",
      `{"params":${"[".repeat(100)}${"]".repeat(100)},"id": 9007199254740993 }`,
      "9007199254740993",
    ],
    ["a string with escapes", '{"id" : "a\\"}{\\u0041"}', '"a\\"}{\\u0041"'],
    ["an id further inside is none", '{"params":{"id":1}}', "null"],
    ["nor is one inside a string", '{"a":"\\"id\\":1"}', "null"],
    ["an object is no id", '{"id":{}}', "null"],
    ["two ids are none", '{"id":1,"a":[],"id":2}', "null"],
    ["a value that is called id is no key", '{"a":"id","id":3}', "3"],
    ["an empty text is over at once", '{"a":"","id":3}', "3"],
    ["garbage has none", '{"id":1x', "1"],
    ["nor has nothing", "", "null"],
    ["a string that never ends", '{"id":"a', "null"],
  ];
  for (const [name, text, id] of cases) it(name, () => assert.equal(findId(text), id));

  it("is found in linear time", () => {
    assert.equal(findId(`{"a":"${"\\\\".repeat(500_000)}","b":${"[".repeat(500_000)}`), "null");
  });
});

describe("a message of which only the ends were kept", () => {
  const cases: readonly (readonly [string, string, string, object])[] = [
    ["an answer with its id first", '{"jsonrpc":"2.0","id":7,"result":{"a":"xx', 'xx"}}', { kind: "answer", id: "7" }],
    [
      "an answer with its id last",
      '{"result":{"a":"xx',
      'xx"},"jsonrpc":"2.0","id":"a7"}',
      { kind: "answer", id: '"a7"' },
    ],
    [
      "its id before its last member",
      '{"result":{"a":"x',
      'x"}, "id" : 7 ,"jsonrpc":"2.0"}\r',
      { kind: "answer", id: "7" },
    ],
    ["an error", '{"id":7,"error":{"message":"xx', 'xx"}}', { kind: "answer", id: "7" }],
    [
      "both ends the same",
      '{"id":7,"result":"xx","jsonrpc":"2.0"',
      '{"id":7,"result":"xx"}',
      { kind: "answer", id: "7" },
    ],
    [
      "a question, though its id is one of ours",
      '{"method":"x","params":{"a":"',
      '"},"id":7}',
      { kind: "request", id: "7" },
    ],
    ["a notification", '{"jsonrpc":"2.0","method":"x","params":{"a":"xx', 'xx"}}', { kind: "notification" }],
    ["an id inside of the result", '{"result":{"id":7,"a":"xx', 'xx","id":7}}', { kind: "answer", id: undefined }],
    ["an id inside of a text", '{"result":{"a":"xx', 'xx,\\"id\\":7}"}', { kind: "answer", id: undefined }],
    ["two ids that differ", '{"id":7,"result":{"a":"xx', 'xx"},"id":8}', { kind: "answer", id: undefined }],
    ["an id that was cut through", '{"result":1,"id":12', "34}", { kind: "answer", id: undefined }],
    ["a batch", '[{"id":7,"result":{"a":"xx', 'xx"}}]', { kind: "message" }],
    ["no JSON at all", "xxxxxxxx", "xxxx", { kind: "message" }],
  ];
  for (const [name, head, tail, facts] of cases) it(name, () => assert.deepEqual(readCut({ head, tail }), facts));

  it("is read in a moment, whatever its ends are made of", () => {
    for (const piece of ['"', ',"', ',"a":', ',"a":1', "\\", '{"'])
      readCut({ head: `{${piece.repeat(8192 / piece.length)}`, tail: `${piece.repeat(2048 / piece.length)}}` });
  });
});
