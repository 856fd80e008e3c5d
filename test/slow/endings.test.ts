/** How it ends: asked to stop, it finishes what runs; killed, it takes its children along; replaced servers leave nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { isRunning, until } from "../support/processes.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { evilServer, ledgerIn, ledgerServer, readLedger, readPids } from "../support/stub-servers.ts";

/** Far longer than any call here takes, on any machine. */
const GRACE_SECONDS = 60;

describe("the end of the hub", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-endings-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("comes after the answers to 50 calls in flight when it is asked to stop", async () => {
    const ledger = ledgerIn(folder, "stop");
    const limits = { graceSeconds: GRACE_SECONDS };
    const hub = await spawnZaguan({ config: { mcpServers: { good: ledgerServer(ledger) }, limits } });
    const client = new RpcOverHttp(hub.url, 60);
    await client.rpc({ id: 0, method: "tools/list" });
    const calls = Array.from({ length: 50 }, (_, at) => client.call("good__sleep", { tag: `t${at}`, ms: 1_500 }, at));
    await until("all are under way", () => readLedger(ledger).length === 50);
    const started = performance.now();
    const stopped = hub.stop();
    const answers = await Promise.all(calls);
    answers.forEach(
      ({ reply }, at) => void assert.equal(reply.result?.content?.[0]?.text, `t${at}`, JSON.stringify(reply)),
    );
    await stopped;
    assert.ok(
      performance.now() - started < GRACE_SECONDS * 750,
      "it waited for the grace although nothing ran any more",
    );
    await client.close();
    assert.deepEqual(
      readLedger(ledger)
        .map(({ pid }) => pid)
        .filter(isRunning),
      [],
    );
  });

  it("does not come later than the grace allows", async (t) => {
    const ledger = ledgerIn(folder, "grace");
    const config = { mcpServers: { good: ledgerServer(ledger) }, limits: { graceSeconds: 1 } };
    const hub = await spawnZaguan({ config });
    const client = new RpcOverHttp(hub.url, 20);
    await client.rpc({ id: 0, method: "tools/list" });
    const call = (at: number) => client.call("good__sleep", { tag: `t${at}`, ms: 90_000 }, at);
    const calls = Promise.allSettled(Array.from({ length: 10 }, (_, at) => call(at)));
    await until("all are under way", () => readLedger(ledger).length === 10);
    const started = performance.now();
    await hub.stop();
    const ms = performance.now() - started;
    assert.ok(ms < 60_000, `it took ${Math.round(ms)} ms`);
    const outcomes = await calls;
    await client.close();
    await t.test("and those who still wait are told", () => {
      for (const outcome of outcomes) assert.ok(outcome.status === "fulfilled" && outcome.value.reply.error);
    });
  });

  it("refuses new callers as soon as it is asked to stop", async () => {
    const ledger = ledgerIn(folder, "refusal");
    const limits = { graceSeconds: GRACE_SECONDS };
    const hub = await spawnZaguan({ config: { mcpServers: { good: ledgerServer(ledger) }, limits } });
    const client = new RpcOverHttp(hub.url, 1);
    const running = client.call("good__sleep", { tag: "long", ms: 15_000 });
    await until("it is under way", () => readLedger(ledger).length === 1);
    const stopped = hub.stop();
    await until("it has heard of it", () => hub.stderr().includes("Stopping"));
    assert.equal(await Promise.race([running.then(() => "answered"), refusal(hub.url)]), "refused");
    assert.ok((await running).reply.result);
    await Promise.all([stopped, client.close()]);
  });

  it("is the end of its children too, even if it is killed", async () => {
    const pids = join(folder, "pids.txt");
    const hub = await startFamily(pids);
    const below = hub.descendants();
    assert.ok(below.length >= 4, `${below}`);
    await hub.kill();
    await until("everything below is gone", () => ![...below, ...readPids(pids)].some(isRunning));
    rmSync(hub.folder, { recursive: true, force: true });
  });

  it("leaves nothing of servers that were replaced again and again", async () => {
    const pids = join(folder, "replaced.txt");
    const config = (round: number) => ({ mcpServers: { wrapped: wrapped("well-behaved", pids, `round ${round}`) } });
    const hub = await spawnZaguan({ config: config(0) });
    try {
      for (let round = 1; round <= 8; round++) {
        await until(`round ${round} is up`, () => readPids(pids).length === round);
        hub.writeConfig(config(round));
      }
      await until("the last is up", () => readPids(pids).length === 9);
      await until("only the last is left", () => readPids(pids).filter(isRunning).length === 1);
    } finally {
      await hub.stop();
    }
    assert.deepEqual(readPids(pids).filter(isRunning), []);
  });
});

/** Resolves when a new caller is no longer let in. */
async function refusal(url: string): Promise<"refused"> {
  for (;;) {
    const late = new RpcOverHttp(url, 1);
    const failure = await late.get("/health").then(
      () => undefined,
      (cause: unknown) => String(cause),
    );
    await late.close();
    if (failure?.includes("ECONNREFUSED")) return "refused";
  }
}

/** A hub with a server that behaves, one that ignores signals, and one behind a shell, all three up. */
async function startFamily(pids: string): Promise<SpawnedZaguan> {
  const hub = await spawnZaguan({
    config: {
      mcpServers: {
        plain: evilServer("well-behaved", pids),
        stubborn: evilServer("ignores-sigterm", pids),
        wrapped: wrapped("ignores-sigterm", pids, "once"),
      },
    },
  });
  const client = new RpcOverHttp(hub.url);
  for (const name of ["plain", "stubborn", "wrapped"]) {
    const { reply } = await client.call(`${name}__act`);
    assert.ok(reply.result, JSON.stringify(reply));
  }
  await client.close();
  return hub;
}

/** Behind a shell that stays, as package runners start servers. */
function wrapped(way: string, pids: string, comment: string): { command: string; args: string[] } {
  const { args } = evilServer(way, pids);
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  return { command: "sh", args: ["-c", `${words}; : ${comment}`] };
}
