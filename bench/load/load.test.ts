/** The load generator: what it takes for an answer, and what it takes for a right one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeEcho } from "../programs/echo.mjs";
import { type HttpAnswer, HttpAnswers, headerOf } from "./http-answers.ts";
import { isNotification, messagesFor } from "./messages.ts";
import type { Question } from "./protocol.ts";

const CALL: Question = { method: "tools/call", era: "2025", bytes: 100, tools: 1, prefixes: [""] };
const LIST: Question = { ...CALL, method: "tools/list", tools: 3 };

/** What is read, however the bytes are cut. */
function read(bytes: string, piece: number): HttpAnswer[] {
  const found: HttpAnswer[] = [];
  const answers = new HttpAnswers((answer) => found.push(answer));
  for (let at = 0; at < bytes.length; at += piece) answers.take(Buffer.from(bytes.slice(at, at + piece), "latin1"));
  return found;
}

const PLAIN = 'HTTP/1.1 200 OK\r\nMcp-Session-Id: AbC\r\nContent-Length: 8\r\n\r\n{"id":1}';
const EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const STREAM = `${EVENTS}c\r\nid: 0\ndata:\n\r\n1e\r\nevent: message\ndata: {"id":1}\n\n\r\n0\r\n\r\n`;
const ACCEPTED = "HTTP/1.1 202 Accepted\r\n\r\n";

for (const piece of [1, 7, 1_000]) {
  test(`answers are read in pieces of ${piece}, with a length, in chunks as events, and without a body`, () => {
    assert.deepEqual(
      read(PLAIN, piece).map(({ message }) => message),
      ['{"id":1}'],
    );
    assert.deepEqual(
      read(STREAM, piece).map(({ message }) => message),
      ['{"id":1}'],
    );
    assert.deepEqual(
      read(ACCEPTED, piece).map(({ status, message }) => [status, message]),
      [[202, ""]],
    );
  });
}

test("a header is found in any case, its value stays as it is", () => {
  assert.equal(headerOf(read(PLAIN, 1_000)[0]?.head ?? "", "mcp-session-id"), "AbC");
});

for (const era of ["2025", "2026"] as const) {
  test(`the echo server's answers of ${era} are right, and right for their own question alone`, () => {
    const echo = makeEcho({ era, tools: 3 });
    for (const question of [CALL, LIST]) {
      const messages = messagesFor({ ...question, era });
      const answers = [11, 12, 13].map((id) => echo(messages.make(id)) ?? "");
      assert.deepEqual(
        answers.map((answer, place) => messages.fault(11 + place, answer)),
        [undefined, undefined, undefined],
      );
      assert.match(messages.fault(12, answers[0] ?? "") ?? "", /asked 12/);
    }
  });
}

test("an answer is wrong if its text is another's, is cut or has grown", () => {
  const echo = makeEcho({ era: "2025" });
  const messages = messagesFor(CALL);
  const right = echo(messages.make(5)) ?? "";
  const other = (echo(messages.make(6)) ?? "").replace('"id":6', '"id":5');
  for (const wrong of [other, right.replace("fox", "dog"), right.replace('"}]', '!"}]'), right.slice(0, -20), ""])
    assert.ok(messages.fault(5, wrong), wrong);
  assert.equal(messages.fault(5, right), undefined);
});

test("an answer may be written with spaces and its members in another order", () => {
  const messages = messagesFor(CALL);
  const { id, jsonrpc, result } = JSON.parse(makeEcho({ era: "2025" })(messages.make(5)) ?? "");
  assert.equal(messages.fault(5, JSON.stringify({ result, jsonrpc, id }, null, 2)), undefined);
  assert.equal(messages.fault(5, JSON.stringify({ result, jsonrpc, id })), undefined);
});

test("a list is wrong if a tool is missing, also when an earlier one was right", () => {
  const messages = messagesFor(LIST);
  const right = makeEcho({ era: "2025", tools: 3 });
  const short = makeEcho({ era: "2025", tools: 2 });
  assert.equal(messages.fault(1, right(messages.make(1)) ?? ""), undefined);
  assert.equal(messages.fault(2, short(messages.make(2)) ?? ""), "2 tools instead of 3");
  assert.equal(messages.fault(3, right(messages.make(3)) ?? ""), undefined);
});

test("what nobody asked is no answer", () => {
  assert.ok(isNotification('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'));
  assert.ok(!isNotification('{"jsonrpc":"2.0","id":1,"result":{}}'));
});
