import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../json/payload.ts";
import {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  memberString,
  memberText,
  type RpcAnswer,
  type RpcCall,
  type RpcReject,
  readMessage,
  readSourceMessage,
} from "./message.ts";

const LIMITS = { depth: 64, elements: 10_000 };

describe("a request", () => {
  const ids = ["0", '""', "1", '"1"', "1.0", "-0", "9007199254740993", "1e400", '"\\u0041 b"', `"${"x".repeat(500)}"`];
  for (const id of [...ids, "null"]) {
    it(`keeps the spelling of the id ${id.slice(0, 30)}`, () => {
      const call = callOf(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      assert.equal(call.id, id);
      assert.ok(encodeResult(call.id as string, Payload.ofText("{}")).includes(`"id":${id},`));
    });
  }

  for (const params of ["", ',"params":null', ',"params": null ', ',"params":{}']) {
    it(`has empty params when it comes with ${params || "none"}`, () => {
      assert.equal(callOf(`{"jsonrpc":"2.0","id":1,"method":"m"${params}}`).params.text, "{}");
    });
  }

  it("keeps the characters of its params", () => {
    const params = '{ "b":1.0, "a":12345678901234567890 }';
    assert.equal(callOf(`{"params":${params},"method":"m","id":1,"jsonrpc":"2.0"}`).params.text, params);
  });

  it("may have members nobody knows, and end in a newline", () => {
    assert.equal(callOf('{"jsonrpc":"2.0","id":1,"method":"m","trace":{"a":[1]},"Method":"other"}\n').method, "m");
  });

  it("may spell `Jsonrpc` with a capital, and no other way", () => {
    assert.equal(callOf('{"Jsonrpc":"2.0","id":1,"method":"m"}').method, "m");
    for (const spelling of ["JSONRPC", "jsonRpc", "json\\u0072pC"])
      rejected(`{"${spelling}":"2.0","method":"m"}`, -32600);
  });

  it("without an id is a notification", () => {
    assert.equal(callOf('{"jsonrpc":"2.0","method":"notifications/initialized"}').id, undefined);
  });

  it("gives out members of its params as text and decoded", () => {
    const { text, members } = callOf('{"jsonrpc":"2.0","method":"m","params":{"n":"\\u00e9","x":[1, 2],"z":null}}');
    assert.equal(memberString(text, members, "n"), "é");
    assert.equal(memberText(text, members, "x"), "[1, 2]");
    for (const key of ["z", "absent", "N"]) assert.equal(memberText(text, members, key), undefined, key);
    for (const key of ["x", "z", "absent"]) assert.equal(memberString(text, members, key), undefined, key);
  });
});

describe("what is malformed gets its code, and its id where one could be read", () => {
  const cases: readonly (readonly [what: string, text: string, code: number, id: string])[] = [
    ["nothing", "", -32700, "null"],
    ["no JSON", "{nonsense", -32700, "null"],
    ["two messages", "{} {}", -32700, "null"],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "null"],
    ["a string", '"ping"', -32600, "null"],
    ["no version", '{"id":7,"method":"ping"}', -32600, "7"],
    ["another version", '{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, '"a"'],
    ["a version that is a number", '{"jsonrpc":2.0,"id":7,"method":"ping"}', -32600, "7"],
    ["neither method nor answer", '{"jsonrpc":"2.0","id":7}', -32600, "7"],
    ["a method that is no string", '{"jsonrpc":"2.0","id":7,"method":1}', -32600, "7"],
    ["params that are a string", '{"jsonrpc":"2.0","id":7,"method":"m","params":"x"}', -32600, "7"],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, "null"],
    ["an id that is true", '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, "null"],
    ["a duplicate key", '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', -32600, "1"],
    ["an id that comes twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}', -32600, "null"],
    [
      "a duplicate key inside",
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","n\\u0061me":"b"}}',
      -32600,
      "1",
    ],
    ["__proto__", '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"admin":true}}}', -32600, "1"],
    ["__proto__ in what is no JSON", '{"__proto__":"","a#:"2","id":2{"id":7,"b":"p,"c":"d"}}', -32600, "null"],
    ["a key that comes twice in what is no JSON", '{"a":1,"a":2,"id":1,"b"{}}', -32600, "null"],
    ["65 levels", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, -32600, "null"],
    ["too many elements", `{"jsonrpc":"2.0","id":1,"method":"m","params":[${"0,".repeat(10_000)}0]}`, -32600, "1"],
  ];
  for (const [what, text, code, id] of cases) {
    it(what, () => assert.equal(rejected(text, code).id, id));
  }

  it("100,000 levels are refused like 65", () => {
    rejected("[".repeat(100_000), -32600);
  });
});

describe("an answer", () => {
  it("carries the result's own characters", () => {
    const answer = answerOf('{"jsonrpc":"2.0","id":"5","result":{"n":1.50}}');
    assert.deepEqual([answer.id, answer.result?.text, answer.error], ['"5"', '{"n":1.50}', undefined]);
  });

  it("may have the result null", () =>
    assert.equal(answerOf('{"jsonrpc":"2.0","id":1,"result":null}').result?.text, "null"));
  it("with an error that is null is a result", () => {
    assert.equal(answerOf('{"jsonrpc":"2.0","id":1,"result":1,"error":null}').result?.text, "1");
  });
  it("with both is an error", () => {
    const { result, error } = answerOf('{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}');
    assert.deepEqual([result, error?.text], [undefined, '{"code":1}']);
  });
});

it("a source may repeat a key, since nothing is decided by it; a stranger may not", () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}';
  assert.equal(readSourceMessage(text, LIMITS).kind, "answer");
  rejected(text, -32600);
});

it("messages are written on one line with the given texts", () => {
  assert.equal(encodeRequest(3, 'a"b', "[]"), '{"jsonrpc":"2.0","id":3,"method":"a\\"b","params":[]}');
  assert.equal(encodeNotification("n"), '{"jsonrpc":"2.0","method":"n"}');
  assert.equal(encodeNotification("n", "{}"), '{"jsonrpc":"2.0","method":"n","params":{}}');
  assert.equal(encodeResult('"x"', Payload.ofText("1")), '{"jsonrpc":"2.0","id":"x","result":1}');
  const error = { code: -1, message: "two\nlines" };
  assert.equal(encodeError("0", error), '{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"two\\nlines"}}');
});

function callOf(text: string): RpcCall {
  const message = readMessage(text, LIMITS);
  assert.equal(message.kind, "call");
  return message as RpcCall;
}

function answerOf(text: string): RpcAnswer {
  const message = readMessage(text, LIMITS);
  assert.equal(message.kind, "answer");
  return message as RpcAnswer;
}

function rejected(text: string, code: number): RpcReject {
  const message = readMessage(text, LIMITS) as RpcReject;
  assert.equal(message.kind, "reject", text.slice(0, 80));
  assert.equal(message.error.row.rpc, code, text.slice(0, 80));
  return message;
}
