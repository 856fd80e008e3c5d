/** Random headers for the bridge, and the judgement of its answer: one JSON object with a result or an error, and a reason. */
import assert from "node:assert/strict";
import { type FuzzHeaders, randomHeaders } from "./fuzz-http.ts";
import type { HttpAnswer } from "./rpc-over-http.ts";
import type { Random } from "./seed.ts";

export const BRIDGE_PATHS: readonly string[] = [
  "/mcp/initialize",
  "/mcp/tools/list",
  "/mcp/tools/call",
  "/mcp/resources/list",
  "/mcp/resources/read",
  "/mcp/prompts/get",
];

/** None of these may do harm; a session that is not there is 404. */
const CHOICES: readonly (readonly [string, string])[] = [
  ["x-priority", "HIGH"],
  ["x-priority", "\u0080\u00ff"],
  ["x-timeout", "-1e999"],
  ["x-timeout", "300.5"],
  ["x-request-id", "x".repeat(4_000)],
  ["x-request-id", "\u00e9\u00ff"],
  ["x-cache-control", "max-age=, no-cache, __proto__"],
  ["x-client-id", "__proto__"],
  ["x-session-id", "__proto__"],
  ["x-session-id", ""],
];

export function bridgeHeaders(random: Random, session: string): FuzzHeaders {
  const { sent, refusals } = randomHeaders(random, session);
  delete sent["mcp-session-id"];
  const chosen = Array.from({ length: random.pick([0, 1, 2]) }, () => random.pick(CHOICES));
  const own: Record<string, string> = random.chance(70) ? { "x-session-id": session } : {};
  return { sent: { ...sent, ...own, ...Object.fromEntries(chosen) }, refusals };
}

export function assertBridgeAnswer(body: Buffer, headers: FuzzHeaders, answer: HttpAnswer): void {
  const told = `${JSON.stringify(headers.sent)}\n${body.subarray(0, 500)}\nwas answered ${answer.status} ${answer.text.slice(0, 500)}`;
  assert.ok(!answer.text.includes('"code":"INTERNAL"'), told);
  if (headers.refusals.includes(answer.status)) return;
  assert.ok([200, 400, 404, 413].includes(answer.status), told);
  const said = JSON.parse(answer.text) as { result?: unknown; error?: { code?: unknown; message?: unknown } };
  assert.equal(answer.status === 200, said.error === undefined, told);
  if (said.error) assert.deepEqual([typeof said.error.code, typeof said.error.message], ["number", "string"], told);
}
