import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../json/payload.ts";
import { hasRequestState, readInputRequired, retryParams, withoutAnswers } from "./input-required.ts";

describe("a result that asks for input", () => {
  it("is read without a character lost", () => {
    const read = readInputRequired(
      '{"resultType":"input_required","inputRequests":{"k\\u0031":{"method":"roots/list"},"b":{"params":{ "n":1.0 },"method":"elicitation/create"}},"requestState":"s\\u00e9"}',
    );
    assert.equal(read?.requestState, '"s\\u00e9"');
    assert.deepEqual(
      read.questions.map(({ key, method, params }) => [key, method, params.text]),
      [
        ["k1", "roots/list", "{}"],
        ["b", "elicitation/create", '{ "n":1.0 }'],
      ],
    );
  });

  it("may ask nothing, and say so in odd spelling", () => {
    const read = readInputRequired('{"result\\u0054ype":"input_r\\u0065quired","requestState":null}');
    assert.deepEqual(read, { questions: [], requestState: undefined });
  });

  it("may hold questions that are none", () => {
    const text = '{"resultType":"input_required","inputRequests":{"a":7,"b":{},"c":{"method":1}}}';
    assert.deepEqual(
      readInputRequired(text)?.questions.map(({ method }) => method),
      ["", "", ""],
    );
  });

  for (const other of [
    "{}",
    '{"resultType":"complete"}',
    '{"text":"input_required"}',
    '{"content":[{"resultType":"input_required"}]}',
    "[]",
  ]) {
    it(`is not ${other}`, () => assert.equal(readInputRequired(other), undefined));
  }
});

describe("the request that follows", () => {
  const answers = new Map([["k", Payload.ofText('{ "a":1.0 }')]]);

  it("is the same, with answers and state as they were written", () => {
    assert.equal(
      retryParams('{ "name":"t","n":1.50 }', answers, '"s\\u00e9"'),
      '{"inputResponses":{"k":{ "a":1.0 }},"requestState":"s\\u00e9", "name":"t","n":1.50 }',
    );
  });

  it("has no state of an earlier round", () => {
    assert.equal(
      retryParams('{"requestState":"old","inputResponses":{},"n":1}', new Map(), '"new"'),
      '{"requestState":"new","n":1}',
    );
    assert.equal(retryParams('{"requestState":"old"}', new Map(), undefined), "{}");
  });
});

it("params show whether they bring back a state", () => {
  for (const params of ['{"requestState":"x"}', '{"request\\u0053tate":1}']) {
    assert.equal(hasRequestState(params), true, params);
  }
  for (const params of [
    "{}",
    '{"inputResponses":{}}',
    '{"arguments":{"requestState":"x"}}',
    '{"name":"requestState"}',
  ]) {
    assert.equal(hasRequestState(params), false, params);
  }
});

it("answers to what was never asked are left out, and nothing else", () => {
  assert.equal(withoutAnswers('{"n":1.0,"inputResponses":{"a":{}}}'), '{"n":1.0}');
  assert.equal(withoutAnswers('{ "arguments":{"inputResponses":1} }'), '{ "arguments":{"inputResponses":1} }');
});
