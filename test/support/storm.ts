/** Many calls while something goes wrong again and again, and what may be said of each of them afterwards. */
import assert from "node:assert/strict";
import { inFlight, type RpcOverHttp, type RpcReply } from "./rpc-over-http.ts";
import { figure, sized } from "./scorecard.ts";

export const AT_ONCE = 32;
/** The short form runs where others work too. */
export const DEADLINE_SECONDS = sized(40, 10);
/** Beyond the deadline. */
const PATIENCE_MS = sized(20_000, 1_000);

export interface Storm {
  readonly row: number;
  /** Where the server is: `stdio`. */
  readonly via: string;
  readonly client: RpcOverHttp;
  readonly calls: number;
  toolOf(index: number): string;
  /** Does harm; false if there was nothing to harm. */
  strike(): boolean;
  readonly everyMs: number;
  /** The tags of all executions so far. */
  executed(): readonly string[];
}

interface Call {
  readonly tag: string;
  readonly reply: RpcReply;
  readonly ms: number;
}

/** How it went, after all that holds for every storm was found to hold. */
export interface Weathered {
  readonly strikes: number;
  readonly executed: readonly string[];
  readonly success: number;
  readonly unknown: number;
}

export async function weather(storm: Storm): Promise<Weathered> {
  const { calls, strikes } = await rage(storm);
  const executed = storm.executed();
  const success = calls.filter(({ reply }) => reply.result !== undefined).length;
  const unknown = calls.filter(({ reply }) => deliveryOf(reply) === "unknown").length;
  assert.ok(strikes >= 2, `only ${strikes} strikes: the storm was over too soon`);
  assert.equal(calls.length, storm.calls, "every call has one answer");
  assertTruth(calls, new Set(executed));
  const longest = Math.max(...calls.map(({ ms }) => ms));
  assert.ok(longest <= DEADLINE_SECONDS * 1_000 + PATIENCE_MS, `a call took ${Math.round(longest)} ms`);
  figure(storm.row, `${storm.via}: longest call`, `${Math.round(longest)} ms`);
  return { strikes, executed, success, unknown };
}

/** None ran twice, and no more are unknown than could be under way at the strikes. */
export function assertAtMostOnce({ row, via, calls }: Storm, { strikes, executed, unknown }: Weathered): void {
  const twice = executed.length - new Set(executed).size;
  figure(row, `${via}: executed twice`, `${twice} of ${calls.toLocaleString("en")}, in ${strikes} strikes`);
  figure(row, `${via}: outcome unknown`, `${unknown} of at most ${AT_ONCE * strikes}`);
  assert.equal(twice, 0, "a call ran twice");
  assert.ok(unknown <= AT_ONCE * strikes, "more calls are unknown than could be under way at the strikes");
}

/** Hardly anybody notices, at a low price. */
export function assertRepeated({ row, via, calls }: Storm, { strikes, executed, success }: Weathered): void {
  const attempts = (executed.length / calls).toFixed(3);
  figure(
    row,
    `${via}: succeeded`,
    `${success.toLocaleString("en")} of ${calls.toLocaleString("en")}, in ${strikes} strikes`,
  );
  figure(row, `${via}: attempts per call`, attempts);
  assert.ok(success >= 0.999 * calls, `only ${success} of ${calls} succeeded`);
  // Where strikes come often because there are few calls, each of them may cost what was under way.
  const most = Math.max(1.2 * calls, calls + AT_ONCE * strikes);
  assert.ok(executed.length <= most, `${attempts} attempts per call`);
}

async function rage({ client, calls, toolOf, strike, everyMs, row }: Storm) {
  const made: Call[] = [];
  let strikes = 0;
  const timer = setInterval(() => {
    if (strike()) strikes++;
  }, everyMs);
  try {
    await inFlight(calls, AT_ONCE, async (index) => {
      const tag = `row-${row}-${index}`;
      const { reply, ms } = await client.call(toolOf(index), { tag }, tag);
      assert.equal(reply.id, tag, "an answer went to the wrong call");
      made.push({ tag, reply, ms });
    });
  } finally {
    clearInterval(timer);
  }
  return { calls: made, strikes };
}

/** A success ran; what was "not sent" did not; every failure says what it is and what is known. */
function assertTruth(calls: readonly Call[], executed: ReadonlySet<string>): void {
  const lies = calls.filter(({ tag, reply }) => {
    if (reply.result) return !executed.has(tag) || reply.result.content?.[0]?.text !== tag;
    return deliveryOf(reply) === "not_sent" && executed.has(tag);
  });
  assert.deepEqual(lies.slice(0, 3), [], `${lies.length} answers are untrue`);
  const vague = calls.filter(({ reply }) => {
    if (reply.result) return false;
    const code = reply.error?.data?.["code"];
    return typeof code !== "string" || code === "INTERNAL" || !["not_sent", "unknown"].includes(deliveryOf(reply));
  });
  assert.deepEqual(vague.slice(0, 3), [], `${vague.length} failures do not say what is known`);
}

function deliveryOf(reply: RpcReply): string {
  return String(reply.error?.data?.["delivery"] ?? "");
}
