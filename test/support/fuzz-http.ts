/** Random headers for a POST, with the knowledge of what they deserve, and the judgement of the answer. */
import assert from "node:assert/strict";
import { keyOf, readRpc } from "./readings.ts";
import type { HttpAnswer } from "./rpc-over-http.ts";
import type { Random } from "./seed.ts";

export interface FuzzHeaders {
  readonly sent: Record<string, string>;
  /** Statuses that these headers alone may cause, before the body counts. */
  readonly refusals: readonly number[];
}

const BODY_LIMIT_BYTES = 1_048_576;

/** [header, value, the status that it may cause]; without a status it must do no harm. */
const CHOICES: readonly (readonly [string, string, number?])[] = [
  ["accept", "application/json, text/event-stream"],
  ["accept", "text/event-stream"],
  ["accept", "*/*;q=0.1, nonsense"],
  ["accept-language", "zh-CN, es;q=0.5, \u00e9"],
  ["mcp-protocol-version", "2025-11-25"],
  ["mcp-protocol-version", "2025-03-26"],
  ["mcp-protocol-version", "1.0", 400],
  ["mcp-session-id", "no-such-session", 404],
  ["mcp-session-id", "__proto__", 404],
  ["content-type", "application/json; charset=UTF-8"],
  ["content-type", "text/plain", 415],
  ["content-type", "application/json garbage", 415],
  ["content-encoding", "gzip", 415],
  // No forwarding header: once one was seen, the hub asks everybody for a key.
  ["zaguan-via", "1 hub, \u00e9", 401],
  ["authorization", "Bearer nonsense", 401],
  ["x-api-key", "x".repeat(5_000), 401],
  ["origin", "https://evil.example", 403],
  ["origin", "null", 403],
  ["host", "evil.example", 403],
  ["x-anything", "\u0080\u00ff".repeat(50)],
  ["cookie", "a=b; __proto__=c"],
];

export function randomHeaders(random: Random, session: string): FuzzHeaders {
  const chosen = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => random.pick(CHOICES));
  const sent: Record<string, string> = random.chance(3) ? { "mcp-session-id": session } : {};
  for (const [name, value] of chosen) sent[name] = value;
  return { sent, refusals: chosen.flatMap(([, , status]) => status ?? []) };
}

export function assertHttpAnswer(body: Buffer, headers: FuzzHeaders, answer: HttpAnswer): void {
  const told = `${JSON.stringify(headers.sent)}\n${body.subarray(0, 500)}\nwas answered ${answer.status} ${answer.text.slice(0, 500)}`;
  assert.ok(answer.status < 500, told);
  assert.ok(!answer.text.includes('"code":"INTERNAL"'), told);
  if (headers.refusals.includes(answer.status)) return;
  const isTooLarge = body.length > BODY_LIMIT_BYTES;
  assert.ok((isTooLarge ? [413] : [200, 202, 400, 404]).includes(answer.status), told);
  const isBatch = body.toString().trimStart().startsWith("[");
  if (answer.text === "")
    assert.ok(answer.status === 202 && (isBatch || readRpc(body).all[0] === 0), `not answered: ${told}`);
  else if (answer.text.startsWith("[")) assertBatchAnswer(body, answer.text, told);
  else if (!isTooLarge) assertRpcAnswer(body, answer, told);
}

/** Each request of a batch is answered once, under its own id; nothing else is, but for what is no message. */
function assertBatchAnswer(body: Buffer, text: string, told: string): void {
  const elements = JSON.parse(body.toString()) as unknown[];
  const answers = (JSON.parse(text) as { id: unknown }[]).map(({ id }) => keyOf(id));
  for (const element of elements) {
    const { key, own } = readRpc(Buffer.from(JSON.stringify(element)));
    if (own[0] === 0 || key === undefined) continue;
    assert.ok(answers.includes(key), `not answered: ${told}`);
    answers.splice(answers.indexOf(key), 1);
  }
  assert.ok(answers.length <= elements.length, told);
}

function assertRpcAnswer(body: Buffer, { status, text }: HttpAnswer, told: string): void {
  const { key, own, all } = readRpc(body);
  const reply = JSON.parse(text.startsWith("event:") ? (/^data: ?(.*)$/m.exec(text)?.[1] ?? "") : text) as {
    id?: unknown;
  };
  const isOwn = reply.id !== null && keyOf(reply.id) === key;
  assert.ok(isOwn || (reply.id === null && own[0] === 0), `wrong id: ${told}`);
  if (all[1] === 0) assert.ok(status >= 400, `answered though nothing was asked: ${told}`);
}
