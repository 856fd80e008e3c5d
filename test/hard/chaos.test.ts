/**
 * Calls while their server is killed again and again: none is lost, none runs twice, none hangs, and what the hub says of
 * each is true. Small in `npm test`; `npm run test:chaos` makes ZAGUAN_CHAOS_CALLS of each.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { isRunning } from "../support/processes.ts";
import { inFlight, RpcOverHttp, type RpcReply } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer, readLedger } from "../support/stub-servers.ts";

const CALLS = Number(process.env["ZAGUAN_CHAOS_CALLS"] ?? 1_000);
const FULL = CALLS >= 10_000;
const KILL_EVERY_MS = FULL ? 2_000 : 700;
const TOOL_MS = 60;
const AT_ONCE = 32;
const DEADLINE_SECONDS = 10;
const PATIENCE_MS = 2_000;

interface Outcome {
  readonly tag: string;
  readonly reply: RpcReply;
  readonly ms: number;
}

describe(`${CALLS} calls, ${AT_ONCE} in flight, while their server is killed every ${KILL_EVERY_MS} ms`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-chaos-"));
  const files = { plain: ledgerIn(folder, "plain"), trusted: ledgerIn(folder, "trusted") };
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    hub = await spawnZaguan({
      config: {
        mcpServers: {
          plain: ledgerServer(files.plain, TOOL_MS),
          trusted: ledgerServer(files.trusted, TOOL_MS, { trusted: true }),
        },
        limits: { callSeconds: DEADLINE_SECONDS },
        log: { level: "error" },
      },
    });
    client = new RpcOverHttp(hub.url, AT_ONCE);
    await client.rpc({ id: 0, method: "tools/list" });
  });

  after(async () => {
    await client.close();
    await hub.stop();
    const everStarted = [...readLedger(files.plain), ...readLedger(files.trusted)].map(({ pid }) => pid);
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual([...new Set(everStarted)].filter(isRunning), [], "processes were left behind");
  });

  it("runs a call that may not be repeated at most once, and tells the truth about each", async (t) => {
    const { outcomes, kills } = await storm(client, files.plain, () => "plain__incr");
    const executed = readLedger(files.plain).map(({ tag }) => tag);
    const counts = countOutcomes(outcomes);
    t.diagnostic(`incr: ${JSON.stringify(counts)}, kills ${kills}, executions ${executed.length}`);

    assert.ok(kills >= 2, `only ${kills} kills: the storm was over too soon`);
    assert.equal(outcomes.length, CALLS, "every call has one answer");
    assert.equal(new Set(executed).size, executed.length, "a call ran twice");
    assertTruth(outcomes, new Set(executed));
    assert.ok(counts.unknown <= AT_ONCE * kills, "more calls are unknown than could be under way at the kills");
    assertNoneHung(outcomes);
    await assertAlive(client, hub);
  });

  it("repeats what a trusted server calls harmless, so that hardly anybody notices", async (t) => {
    const { outcomes, kills } = await storm(client, files.trusted, (index) =>
      index % 2 === 0 ? "trusted__put" : "trusted__echo",
    );
    const executed = readLedger(files.trusted).map(({ tag }) => tag);
    const counts = countOutcomes(outcomes);
    t.diagnostic(`put and echo: ${JSON.stringify(counts)}, kills ${kills}, executions ${executed.length}`);

    assert.ok(kills >= 2, `only ${kills} kills: the storm was over too soon`);
    assert.equal(outcomes.length, CALLS, "every call has one answer");
    assertTruth(outcomes, new Set(executed));
    assert.ok(counts.success >= 0.99 * CALLS, `only ${counts.success} of ${CALLS} succeeded`);
    assert.ok(executed.length <= CALLS + AT_ONCE * kills, `${executed.length} executions for ${CALLS} calls`);
    assertNoneHung(outcomes);
    await assertAlive(client, hub);
  });

  it("gives 64 callers who count alike each their own answers", async () => {
    const perCaller = FULL ? 500 : 20;
    const wrong: string[] = [];
    const caller = async (name: number): Promise<void> => {
      for (let id = 0; id < perCaller; id++) {
        const tag = `caller-${name}-${id}`;
        const args = { tag, ms: (name * 7 + id * 13) % 20 };
        const { reply } = await client.call("plain__sleep", args, id);
        if (reply.id !== id || reply.result?.content?.[0]?.text !== tag) wrong.push(`${tag}: ${JSON.stringify(reply)}`);
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, name) => caller(name)));
    assert.deepEqual(wrong, []);
  });
});

/** Makes the calls while whoever wrote the last line of the ledger is killed at intervals. */
async function storm(client: RpcOverHttp, ledger: string, toolOf: (index: number) => string) {
  const outcomes: Outcome[] = [];
  const killed = new Set<number>();
  const killer = setInterval(() => {
    const entries = readLedger(ledger);
    const pid = entries.at(-1)?.pid;
    if (pid === undefined || killed.has(pid) || !isRunning(pid)) return;
    // On a slow machine a life of so many milliseconds would be too short for those whose call an earlier kill met.
    if (entries.filter((entry) => entry.pid === pid).length < 2 * AT_ONCE) return;
    process.kill(pid, "SIGKILL");
    killed.add(pid);
  }, KILL_EVERY_MS);
  try {
    await inFlight(CALLS, AT_ONCE, async (index) => {
      const tag = `t${index}`;
      const { reply, ms } = await client.call(toolOf(index), { tag }, tag);
      assert.equal(reply.id, tag, "an answer went to the wrong call");
      outcomes.push({ tag, reply, ms });
    });
  } finally {
    clearInterval(killer);
  }
  return { outcomes, kills: killed.size };
}

/** A success ran; what was "not sent" did not; every failure says what it is and what is known. */
function assertTruth(outcomes: readonly Outcome[], executed: ReadonlySet<string>): void {
  const lies = outcomes.filter(({ tag, reply }) => {
    if (reply.result) return !executed.has(tag) || reply.result.content?.[0]?.text !== tag;
    return deliveryOf(reply) === "not_sent" && executed.has(tag);
  });
  assert.deepEqual(lies.slice(0, 3), [], `${lies.length} answers are untrue`);
  const vague = outcomes.filter(({ reply }) => {
    if (reply.result) return false;
    const code = reply.error?.data?.["code"];
    return typeof code !== "string" || code === "INTERNAL" || !["not_sent", "unknown"].includes(deliveryOf(reply));
  });
  assert.deepEqual(vague.slice(0, 3), [], `${vague.length} failures do not say what is known`);
}

function assertNoneHung(outcomes: readonly Outcome[]): void {
  const longest = Math.max(...outcomes.map(({ ms }) => ms));
  assert.ok(longest <= DEADLINE_SECONDS * 1_000 + PATIENCE_MS, `a call took ${Math.round(longest)} ms`);
}

async function assertAlive(client: RpcOverHttp, hub: SpawnedZaguan): Promise<void> {
  assert.equal((await client.get("/health")).status, 200);
  assert.ok(isRunning(hub.pid));
  const { reply } = await client.call("list_lights_on");
  assert.ok(reply.result, JSON.stringify(reply));
}

function countOutcomes(outcomes: readonly Outcome[]): { success: number; not_sent: number; unknown: number } {
  const of = (delivery: string): number => outcomes.filter(({ reply }) => deliveryOf(reply) === delivery).length;
  const success = outcomes.filter(({ reply }) => reply.result !== undefined).length;
  return { success, not_sent: of("not_sent"), unknown: of("unknown") };
}

function deliveryOf(reply: RpcReply): string {
  return String(reply.error?.data?.["delivery"] ?? "");
}
