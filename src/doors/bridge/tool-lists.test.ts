import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { type FakeGateway, fakeGateway } from "../../../test/support/fake-gateway.ts";
import { makeTool } from "../../../test/support/make-call.ts";
import { LOCAL } from "../../../test/support/open-doors.ts";
import type { Principal } from "../../core/call.ts";
import { Statistics } from "../../observe/statistics.ts";
import { ToolLists } from "./tool-lists.ts";

const ALICE: Principal = { id: "key:alice", kind: "key", name: "alice" };
const SECOND_MS = 1_000;

let gateway: FakeGateway;
let statistics: Statistics;
let lists: ToolLists;
beforeEach(() => {
  mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  gateway = fakeGateway();
  statistics = new Statistics();
  lists = new ToolLists(gateway, statistics);
});
afterEach(() => mock.timers.reset());

describe("kept lists", () => {
  it("are given out for ten minutes", async () => {
    assert.deepEqual(await ask(), { cached: false, seconds: 600, tools: 1 });
    mock.timers.tick(599 * SECOND_MS);
    assert.deepEqual(await ask(), { cached: true, seconds: 1, tools: 1 });
    mock.timers.tick(SECOND_MS);
    assert.deepEqual(await ask(), { cached: false, seconds: 600, tools: 1 });
    assert.deepEqual([statistics.cacheHits, statistics.cacheMisses], [1, 2]);
  });

  it("are not given to who wants younger ones", async () => {
    await ask();
    mock.timers.tick(10 * SECOND_MS);
    assert.deepEqual(await ask(11), { cached: true, seconds: 1, tools: 1 });
    assert.deepEqual(await ask(3_600), { cached: true, seconds: 590, tools: 1 });
    assert.equal((await ask(10)).cached, false);
    assert.equal((await ask(0)).cached, false);
    assert.equal((await ask(1)).cached, true, "what was made anew is kept");
  });

  it("are one principal's in one language", async () => {
    await ask();
    assert.equal((await lists.list(ALICE, "en", undefined)).cached, false);
    assert.equal((await lists.list(LOCAL, "fr", undefined)).cached, false);
    assert.equal((await ask()).cached, true);
  });

  it("are forgotten when tools change", async () => {
    await ask();
    gateway.tools = [makeTool("lamp"), makeTool("door")];
    gateway.toolsChanged();
    assert.deepEqual(await ask(), { cached: false, seconds: 600, tools: 2 });
  });

  it("are not what was on its way when tools changed", async () => {
    const asking = ask();
    gateway.toolsChanged();
    await asking;
    assert.equal((await ask()).cached, false);
  });

  it("are bounded in number: the oldest goes", async () => {
    for (let number = 0; number <= 1_000; number++) {
      await lists.list({ ...ALICE, id: `key:${number}` }, "en", undefined);
    }
    assert.equal((await lists.list({ ...ALICE, id: "key:1" }, "en", undefined)).cached, true);
    assert.equal((await lists.list({ ...ALICE, id: "key:0" }, "en", undefined)).cached, false);
    assert.ok(statistics.cacheEvictions >= 1);
  });

  it("are bounded in size", async () => {
    gateway.tools = [makeTool("large", { description: "x".repeat(1_000_000) })];
    for (let number = 0; number < 40; number++) await lists.list({ ...ALICE, id: `key:${number}` }, "en", undefined);
    assert.equal((await lists.list({ ...ALICE, id: "key:0" }, "en", undefined)).cached, false);
    assert.equal((await lists.list({ ...ALICE, id: "key:39" }, "en", undefined)).cached, true);
  });

  it("hear nothing any more once they are closed", () => {
    lists.close();
    assert.equal(gateway.listeners.size, 0);
  });
});

async function ask(maxAgeSeconds?: number): Promise<{ cached: boolean; seconds: number; tools: number }> {
  const freshness = maxAgeSeconds === undefined ? undefined : { maxAgeSeconds };
  const { cached, expiresAt, tools } = await lists.list(LOCAL, "en", freshness);
  return { cached, seconds: (expiresAt - Date.now()) / SECOND_MS, tools: tools.length };
}
