/** `/calls…` and `/figures` over a real port, for those who ask once. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { aSource, callEnded } from "../../../test/support/monitored.ts";
import { type Answered, LOCAL } from "../../../test/support/open-doors.ts";
import { aRow, type OpenLive, openLive } from "../../../test/support/open-live.ts";
import type { Principal } from "../../core/call.ts";

const BOB: Principal = { id: "key:bob", kind: "key", name: "bob" };

let hub: OpenLive;
beforeEach(async () => {
  hub = await openLive({ local: LOCAL, principals: { bob: BOB } });
  hub.sources.push(aSource());
  hub.ended.push(aRow(1, { tool: "get_lamp", principal: "bob" }), aRow(2, { outcome: "SOURCE_ERROR", source: "tv" }));
  hub.running.push(aRow(4, { state: "waiting", outcome: null }), aRow(3, { state: "running", outcome: null }));
});
afterEach(async () => {
  await hub.close();
  mock.timers.reset();
});

const ids = ({ json }: Answered): number[] => (json as unknown as { id: number }[]).map(({ id }) => id);

describe("GET /calls", () => {
  it("shows those under way first, then the newest", async () => {
    assert.deepEqual(ids(await hub.ask("/calls")), [4, 3, 2, 1]);
  });

  it("shows those of one state, and those in which every word occurs", async () => {
    assert.deepEqual(ids(await hub.ask("/calls?state=running")), [3]);
    assert.deepEqual(ids(await hub.ask("/calls?state=waiting")), [4]);
    assert.deepEqual(ids(await hub.ask("/calls?state=ended")), [2, 1]);
    for (const [words, found] of [
      ["get_lamp", [1]],
      ["source_error", [2]],
      ["TV lamp", [2]],
      ["bob", [1]],
      ["nothing", []],
    ] as const) {
      assert.deepEqual(ids(await hub.ask(`/calls?search=${encodeURIComponent(words)}`)), found, words);
    }
  });

  it("comes in pages that know how many there are", async () => {
    const answer = await hub.ask("/calls?offset=1&limit=2");
    assert.deepEqual([ids(answer), answer.headers["x-total-count"]], [[3, 2], "4"]);
  });

  it("shows everybody else their own", async () => {
    assert.deepEqual(ids(await hub.ask("/calls", { headers: { "x-api-key": "bob" } })), [1]);
  });

  it("says what is wrong with what is asked", async () => {
    const { status, text } = await hub.ask("/calls?state=gone&limit=0");
    assert.equal(status, 400);
    assert.ok(text.includes("state") && text.includes("limit"), text);
  });
});

describe("GET /calls/{id}", () => {
  it("is the whole way of one", async () => {
    const { status, json } = await hub.ask("/calls/2");
    assert.equal(status, 200);
    assert.deepEqual([json["id"], json["args"], json["argsKept"]], [2, { on: true }, true]);
    assert.deepEqual(json["steps"], [{ name: "authorize", atMs: 0, ms: 1 }]);
  });

  for (const id of ["99", "x", "1.5", "-1", "1e0x", "%00", ""]) {
    it(`knows no call "${id}"`, async () => assert.equal((await hub.ask(`/calls/${id}`)).status, 404));
  }

  it("knows nothing of another's", async () => {
    assert.equal((await hub.ask("/calls/2", { headers: { "x-api-key": "bob" } })).status, 404);
    assert.equal((await hub.ask("/calls/1", { headers: { "x-api-key": "bob" } })).status, 200);
  });
});

describe("DELETE /calls/{id}", () => {
  const cancel = (id: string, key?: string): Promise<Answered> =>
    hub.ask(`/calls/${id}`, { method: "DELETE", ...(key && { headers: { "x-api-key": key } }) });

  it("ends one that waits or runs", async () => {
    for (const id of ["4", "3"]) assert.deepEqual([(await cancel(id)).status, (await cancel(id)).text], [204, ""]);
    assert.deepEqual([...new Set(hub.cancelled)], [4, 3]);
  });

  it("says that it is too late, or that there is none", async () => {
    const late = await cancel("2");
    assert.deepEqual([late.status, late.json["code"]], [409, "ALREADY_ENDED"]);
    assert.match(String(late.headers["content-type"]), /problem\+json/);
    for (const id of ["99", "x"]) assert.equal((await cancel(id)).status, 404);
    assert.deepEqual(hub.cancelled, []);
  });

  it("ends nothing of others", async () => {
    assert.equal((await cancel("3", "bob")).status, 404);
    assert.deepEqual(hub.cancelled, []);
  });
});

describe("GET /figures", () => {
  interface Figures {
    readonly points: readonly Record<string, unknown>[];
    readonly totals: Record<string, number>;
    readonly queue: object;
    readonly inFlight: number;
  }
  const figures = async (): Promise<Figures> => (await hub.ask("/figures")).json as unknown as Figures;

  it("has the step that is being filled even when nothing has happened", async () => {
    const { points, totals, queue, inFlight } = await figures();
    assert.ok(points.length >= 1);
    assert.deepEqual([totals["calls"], totals["failed"]], [0, 0]);
    assert.deepEqual(queue, { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 });
    assert.equal(inFlight, 2);
  });

  it("counts what was counted", async () => {
    for (let call = 0; call < 8; call++) hub.statistics.take(callEnded({ ms: 20 }));
    for (const error of ["SOURCE_ERROR", "RATE_LIMITED"] as const) hub.statistics.take(callEnded({ ms: 1, error }));
    hub.statistics.cacheHit();
    hub.statistics.cacheMiss();
    const { points, totals } = await figures();
    assert.deepEqual([totals["calls"], totals["failed"], totals["cacheHits"], totals["cacheMisses"]], [10, 2, 1, 1]);
    const errors = points.reduce((sum, point) => sum + Number(point["errors"]), 0);
    assert.equal(errors, 2);
    assert.ok(points.some(({ p50Ms }) => Number(p50Ms) > 10));
  });
});
