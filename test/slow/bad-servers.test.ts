/** Servers that misbehave, each in its own way: the fault stays with the server, and the rest of the hub goes on. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { peakMb, residentMb } from "../support/memory.ts";
import { RpcOverHttp, type RpcReply, serverShown } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { evilServer, ledgerIn, ledgerServer, readPids } from "../support/stub-servers.ts";

/** Enough for whoever answers at all; `late-answers` takes a little longer. */
const CALL_SECONDS = 6;
/** A hub that is held up shows it by more than this; a slow machine does not. */
const HELD_UP_MS = 15_000;

describe("servers that do not come up", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-bad-servers-"));
  const starts = join(folder, "starts.txt");
  let hub: SpawnedZaguan | undefined;
  let client: RpcOverHttp;

  before(async () => {
    hub = await spawnZaguan({
      config: {
        mcpServers: {
          mute: evilServer("mute", undefined, { readySeconds: 1 }),
          crashing: evilServer("exits-at-once", starts),
          unlisted: evilServer("never-lists"),
          chatty: evilServer("text-first"),
          good: ledgerServer(ledgerIn(folder)),
        },
        limits: { listWaitSeconds: 2, callSeconds: CALL_SECONDS },
      },
    });
    client = new RpcOverHttp(hub.url);
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("hold a list up for the configured wait and no longer", async () => {
    const { reply, ms } = await client.rpc({ id: 1, method: "tools/list" });
    assert.ok(ms < 2_000 + HELD_UP_MS, `the list took ${Math.round(ms)} ms`);
    assert.ok(toolNames(reply).includes("set_light_state"), `${toolNames(reply)}`);
    await untilAsync("the good ones are listed, the one that greets with text among them", async () => {
      const names = toolNames((await client.rpc({ id: 1, method: "tools/list" })).reply);
      return names.includes("incr") && names.includes("act");
    });
  });

  it("show what is wrong with each", async () => {
    await untilAsync("mute is given up", async () => /did not become ready/.test(await lastErrorOf(client, "mute")));
    await untilAsync("the exit is told", async () => /exited with code 7/.test(await lastErrorOf(client, "crashing")));
    assert.equal((await serverShown(client, "good")).lastError, null);
  });

  it("are not started again and again when they keep crashing", async () => {
    await untilAsync(
      "the crash loop is broken",
      async () => (await serverShown(client, "crashing")).state === "broken",
    );
    const before = readPids(starts).length;
    assert.ok(before <= 6, `${before} starts`);
    await sleep(2_000);
    assert.equal(readPids(starts).length, before, "it was started again at once");
  });

  it("leave the others alone", async () => {
    assert.ok((await client.call("good__echo", { tag: "t" })).reply.result);
    assert.ok((await client.call("chatty__act")).reply.result);
    const { reply, ms } = await client.call("mute__act");
    assert.ok(reply.error && ms < HELD_UP_MS, `${ms} ms, ${JSON.stringify(reply)}`);
  });
});

describe("many servers that never become ready", () => {
  it("do not keep the one behind them from being started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-mutes-"));
    const mutes = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, evilServer("mute")]));
    const hub = await spawnZaguan({
      config: { mcpServers: { ...mutes, good: ledgerServer(ledgerIn(folder)) }, limits: { listWaitSeconds: 2 } },
    });
    const client = new RpcOverHttp(hub.url);
    try {
      await client.rpc({ id: 1, method: "tools/list" });
      await untilAsync("the good one is there", async () => (await serverShown(client, "good")).tools > 0);
      assert.ok((await client.call("good__echo", { tag: "t" })).reply.result);
    } finally {
      await client.close();
      await hub.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("servers that answer badly", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-bad-answers-"));
  const ways = [
    "never-answers",
    "wrong-ids",
    "duplicate-answers",
    "late-answers",
    "dies-of-calls",
    "flood-without-newline",
    "flood-of-garbage",
    "deep-result",
    "wide-result",
    "odd-result",
    "polluting-result",
    "hostile-schema",
    "ignores-sigterm",
  ];
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    const evil = Object.fromEntries(ways.map((way) => [way, evilServer(way)]));
    hub = await spawnZaguan({
      config: { mcpServers: { good: ledgerServer(ledgerIn(folder)), ...evil }, limits: { callSeconds: CALL_SECONDS } },
    });
    client = new RpcOverHttp(hub.url);
    await client.rpc({ id: 1, method: "tools/list" });
    await untilAsync("all are up", async () => {
      const tools = await Promise.all(ways.map(async (way) => (await serverShown(client, way)).tools));
      return tools.every((count) => count > 0);
    });
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const way of ["never-answers", "wrong-ids"]) {
    it(`(${way}) is told as a deadline, with an unknown outcome`, async () => {
      const { reply, status, ms } = await client.call(`${way}__act`);
      assert.equal(reply.error?.data?.["code"], "DEADLINE_EXCEEDED", JSON.stringify(reply));
      assert.equal(reply.error?.data?.["delivery"], "unknown");
      assert.equal(status, 504);
      assert.ok(ms >= CALL_SECONDS * 900 && ms < CALL_SECONDS * 1_000 + HELD_UP_MS, `${ms} ms`);
    });
  }

  it("(duplicate-answers) the first answer counts, and the next call has its own", async () => {
    for (const id of ["x", "y", "z"]) {
      const { reply } = await client.call("duplicate-answers__act", {}, id);
      assert.deepEqual([reply.id, reply.result?.content?.[0]?.text], [id, "done"]);
    }
  });

  it("(late-answers) a late answer goes to nobody", async () => {
    assert.equal((await client.call("late-answers__act")).reply.error?.data?.["code"], "DEADLINE_EXCEEDED");
    await sleep(1_000);
    assert.equal((await serverShown(client, "late-answers")).state, "ready");
    await assertOthersWork();
  });

  it("(dies-of-calls) a death during a call is an unknown outcome, and a loop of them is contained", async () => {
    const codes = new Set<unknown>();
    for (let call = 0; call < 6; call++)
      codes.add((await client.call("dies-of-calls__act")).reply.error?.data?.["code"]);
    assert.ok(codes.has("OUTCOME_UNKNOWN"), [...codes].join());
    for (const code of codes)
      assert.match(String(code), /^(?:OUTCOME_UNKNOWN|SOURCE_(?:UNAVAILABLE|STARTING)|DEADLINE_EXCEEDED)$/);
    await assertOthersWork();
  });

  it("(flood-without-newline) is cut before it becomes our memory", async () => {
    const before = residentMb(hub.pid);
    const { reply } = await client.call("flood-without-newline__act");
    assert.equal(reply.error?.data?.["delivery"], "unknown", JSON.stringify(reply));
    // On a slow machine the call's time is over before the line is far too long.
    const errorShown = async () => String((await serverShown(client, "flood-without-newline")).lastError);
    await untilAsync("it is ended", async () => /far more than \d+ bytes/.test(await errorShown()));
    assert.ok(peakMb(hub.pid) < before + 200, `${before} MB became ${peakMb(hub.pid)} MB`);
    await assertOthersWork();
  });

  it("(flood-of-garbage) holds nobody else up", async () => {
    const before = residentMb(hub.pid);
    const flood = client.call("flood-of-garbage__act");
    for (let probe = 0; probe < 10; probe++) await assertOthersWork();
    assert.equal((await flood).reply.error?.data?.["delivery"], "unknown");
    assert.ok(residentMb(hub.pid) < before + 200, `${before} MB became ${residentMb(hub.pid)} MB`);
  });

  it("(flood-of-garbage) does not go on for ever", async () => {
    const isCut = async () => (await serverShown(client, "flood-of-garbage")).state !== "ready";
    await untilAsync("it is cut", isCut);
  });

  for (const way of ["deep-result", "wide-result", "odd-result", "polluting-result"]) {
    it(`(${way}) is passed on or refused, and harms nobody`, async () => {
      const { reply } = await client.call(`${way}__act`, {}, way);
      assert.equal(reply.id, way);
      assert.ok(reply.result !== undefined || reply.error?.data?.["delivery"] !== undefined, brief(reply));
      assert.notEqual(reply.error?.data?.["code"], "INTERNAL");
      await assertOthersWork();
    });
  }

  it("(hostile-schema) a pattern with exponential backtracking blocks nobody", async () => {
    const attack = client.call("hostile-schema__runaway", { text: `${"a".repeat(50_000)}!` });
    await assertOthersWork();
    const { ms } = await attack;
    assert.ok(ms < HELD_UP_MS, `${ms} ms`);
    // What takes too long to check is left to the server; 100 characters would take for ever by backtracking.
    const { reply } = await client.call("hostile-schema__runaway", { text: `${"a".repeat(100)}!` });
    assert.ok(reply.error ?? reply.result?.isError, "the argument does not fit the schema");
    for (const tool of ["endless", "nonsense"]) {
      const answer = await client.call(`hostile-schema__${tool}`, { a: { a: {} } });
      assert.notEqual(answer.reply.error?.data?.["code"], "INTERNAL", answer.text);
    }
  });

  async function assertOthersWork(): Promise<void> {
    const [echo, house, health] = await Promise.all([
      client.call("good__echo", { tag: "still here" }),
      client.call("list_lights_on"),
      client.get("/health"),
    ]);
    assert.equal(echo.reply.result?.content?.[0]?.text, "still here", echo.text);
    assert.ok(house.reply.result, house.text);
    assert.equal(health.status, 200);
    assert.ok(echo.ms < HELD_UP_MS && health.ms < HELD_UP_MS, `${echo.ms} ms, ${health.ms} ms`);
  }
});

describe("results that are too deep or too wide", () => {
  it("are refused when they come, long before the call's time is over", async () => {
    const ways = ["deep-result", "wide-result"];
    const mcpServers = Object.fromEntries(ways.map((way) => [way, evilServer(way)]));
    const hub = await spawnZaguan({ config: { mcpServers, limits: { callSeconds: 60 } } });
    const client = new RpcOverHttp(hub.url);
    try {
      for (const way of ways) {
        const { reply } = await client.call(`${way}__act`, {}, way);
        assert.notEqual(reply.error?.data?.["code"], "DEADLINE_EXCEEDED", brief(reply));
      }
    } finally {
      await client.close();
      await hub.stop();
    }
  });
});

async function lastErrorOf(client: RpcOverHttp, name: string): Promise<string> {
  return String((await serverShown(client, name)).lastError);
}

function brief(reply: RpcReply): string {
  return JSON.stringify(reply).slice(0, 300);
}

function toolNames(reply: RpcReply): string[] {
  return ((reply.result?.["tools"] ?? []) as { name: string }[]).map(({ name }) => name);
}

async function untilAsync(what: string, condition: () => Promise<boolean>, limitMs = 90_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`still not so: ${what}`);
    await sleep(50);
  }
}
