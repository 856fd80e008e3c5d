/** `/calls…`, `/figures` and `/events` of a hub that is one node of several, which the test makes up. */
import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { aClusterApi } from "../../../test/support/cluster-api.ts";
import { LOCAL } from "../../../test/support/open-doors.ts";
import { aRow, type OpenLive, openLive } from "../../../test/support/open-live.ts";
import type { DoorContext } from "../door.ts";
import { ownFigures } from "./merged-figures.ts";
import type { CallRow, CallsChange } from "./views.ts";

type ClusterApi = NonNullable<DoorContext["cluster"]>;

let hub: OpenLive;
afterEach(async () => {
  await hub.close();
  mock.timers.reset();
});

async function open(api: Partial<ClusterApi>): Promise<void> {
  hub = await openLive({ local: LOCAL, cluster: aClusterApi(api) });
}

/** Started at this second of a certain minute. */
const rowAt = (second: number, id: number, more: Partial<CallRow> = {}): CallRow =>
  aRow(id, { startedUtc: `2026-01-02T03:04:${String(second).padStart(2, "0")}.000Z`, ...more });
const keys = (rows: readonly CallRow[]): string[] => rows.map(({ node, id }) => `${node}-${id}`);

describe("GET /calls in a cluster", () => {
  const FAR = [
    rowAt(9, 1, { node: "dos", state: "running", outcome: null }),
    rowAt(8, 2, { node: "dos" }),
    rowAt(2, 3, { node: "dos" }),
  ];

  async function openWithOtherNode(): Promise<Parameters<ClusterApi["calls"]>[]> {
    const asked: Parameters<ClusterApi["calls"]>[] = [];
    await open({
      calls: async (...given) => {
        asked.push(given);
        return { rows: FAR, total: 30, missing: ["tres"] };
      },
    });
    hub.ended.push(rowAt(1, 1), rowAt(5, 2));
    hub.running.push(rowAt(3, 4, { state: "waiting", outcome: null }));
    return asked;
  }

  it("shows those of all nodes in one order, each with its node, and names who did not answer", async () => {
    await openWithOtherNode();
    const { json, headers } = await hub.ask("/calls");
    assert.deepEqual(keys(json as unknown as CallRow[]), ["dos-1", "uno-4", "dos-2", "uno-2", "dos-3", "uno-1"]);
    assert.deepEqual([headers["x-total-count"], headers["x-missing-nodes"]], ["33", "tres"]);
  });

  it("asks for what is looked for, by whom, and for no more rows than the page may need", async () => {
    const asked = await openWithOtherNode();
    const { json } = await hub.ask("/calls?search=lamp&state=ended&offset=1&limit=2");
    assert.deepEqual(asked, [[{ search: "lamp", state: "ended", most: 3 }, LOCAL]]);
    assert.equal((json as unknown as CallRow[]).length, 2);
  });
});

describe("one call in a cluster", () => {
  it("is found and cancelled at its node; a number alone is one of this node", async () => {
    const asked: unknown[] = [];
    await open({
      call: async (place) => void asked.push(place),
      cancel: async (place) => {
        asked.push(place);
        return place.id === 17 ? "cancelled" : "ended";
      },
    });
    for (const id of ["the-garage-17", "4", "x", "-1", "garage-"])
      assert.equal((await hub.ask(`/calls/${id}`)).status, 404);
    assert.deepEqual(asked.splice(0), [
      { node: "the-garage", id: 17 },
      { node: "uno", id: 4 },
      { node: "uno", id: Number.NaN },
      { node: "uno", id: Number.NaN },
      { node: "uno", id: Number.NaN },
    ]);
    assert.equal((await hub.ask("/calls/the-garage-17", { method: "DELETE" })).status, 204);
    const late = await hub.ask("/calls/the-garage-18", { method: "DELETE" });
    assert.deepEqual([late.status, late.json["code"]], [409, "ALREADY_ENDED"]);
    assert.match(String(late.json["detail"]), /the-garage-18/);
  });
});

it("GET /figures adds up all nodes", async () => {
  await open({
    figures: async () => {
      const { statistics, running } = hub;
      const queue = () => ({ byPriority: { HIGH: 1, MEDIUM: 2, LOW: 0, BULK: 0 } });
      const status = () => ({ callsInFlight: running.length, uptimeSeconds: 99 });
      const remote = ownFigures({ statistics, queue, status } as unknown as DoorContext);
      return { figures: [{ ...remote, node: "dos", totals: { ...remote.totals, calls: 5 } }], missing: ["tres"] };
    },
  });
  hub.statistics.cacheHit();
  const { json } = await hub.ask("/figures");
  const { totals, queue } = json as unknown as { totals: Record<string, number>; queue: object };
  assert.deepEqual([totals["calls"], totals["cacheHits"], json["uptimeSeconds"]], [5, 2, 7]);
  assert.deepEqual(queue, { HIGH: 1, MEDIUM: 2, LOW: 0, BULK: 0 });
  assert.deepEqual([json["nodes"], json["missing"]], [["dos", "uno"], ["tres"]]);
});

describe("GET /events in a cluster", () => {
  /** What the other nodes tell, as the test says it. */
  class OtherNodes {
    change: CallsChange = { ended: [], skipped: 0, running: [], inFlight: 0 };
    isNew = false;
    isClosed = false;

    tell(change: Partial<CallsChange>): void {
      this.change = { ...this.change, ...change };
      this.isNew = true;
    }

    watch(): ReturnType<ClusterApi["watch"]> {
      return {
        ready: async () => {},
        isNew: () => this.isNew,
        take: () => {
          const { change } = this;
          this.change = { ...change, ended: [], skipped: 0 };
          this.isNew = false;
          return change;
        },
        figures: () => [{ point: hub.statistics.current(), inFlight: 3, uptimeSeconds: 99 }],
        close: () => {
          this.isClosed = true;
        },
      };
    }
  }

  it("tells of all nodes, each row with its node, and stops following them with the last who watches", async () => {
    const remote = new OtherNodes();
    await open({ watch: () => remote.watch() });
    remote.tell({ ended: [rowAt(9, 7, { node: "dos" })], inFlight: 2 });
    hub.ended.push(rowAt(5, 1));
    const stream = await hub.watch();
    const hello = await stream.hello();
    assert.deepEqual([hello.node, keys(hello.calls.ended), hello.calls.inFlight], ["uno", ["dos-7", "uno-1"], 2]);
    assert.equal(hello.figures?.inFlight, 3);
    remote.tell({ running: [rowAt(10, 8, { node: "dos", state: "running" })], inFlight: 1 });
    await hub.tick();
    const { running, ended } = await stream.find("calls");
    assert.deepEqual([keys(running), ended], [["dos-8"], []]);
    hub.ended.push(rowAt(11, 2));
    await hub.tick();
    const own = await stream.find("calls", (change) => change.ended.length > 0);
    assert.deepEqual([keys(own.ended), keys(own.running)], [["uno-2"], ["dos-8"]]);
    stream.close();
    while (!remote.isClosed) await hub.tick();
  });
});
