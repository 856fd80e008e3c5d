import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallRow } from "../../../doors/live/views.ts";
import type { Calls } from "../../kit/live.ts";
import { beganTimes, nextFeed, startFeed } from "./feed.ts";

const row = (id: number, more: Partial<CallRow> = {}): CallRow => ({
  id,
  startedUtc: "2030-01-01T00:00:00.000Z",
  door: "mcp",
  principal: "local",
  tool: "lamp",
  source: "house",
  priority: "MEDIUM",
  state: "ended",
  queuedMs: 0,
  ms: 1,
  outcome: "ok",
  cached: false,
  attempts: 1,
  ...more,
});
const under = (id: number): CallRow => row(id, { state: "running", outcome: null });
const live = (ended: readonly CallRow[], running: readonly CallRow[] = [], skipped = 0): Calls => ({
  ended,
  running,
  skipped,
  inFlight: running.length,
});
const ids = ({ rows }: { readonly rows: readonly CallRow[] }): number[] => rows.map(({ id }) => id);

describe("the list of calls", () => {
  it("shows those under way first, and what is new at once", () => {
    const feed = startFeed(live([row(1)], [under(2)]));
    assert.deepEqual(ids(feed), [2, 1]);
    assert.deepEqual(ids(nextFeed(feed, live([row(3), row(1)], [under(2)]), false)), [2, 3, 1]);
  });

  it("is the same object where nothing is new", () => {
    const all = live([row(1)]);
    const feed = startFeed(all);
    assert.equal(nextFeed(feed, all, false), feed);
    const held = nextFeed(feed, all, true);
    assert.equal(nextFeed(held, all, true), held);
  });

  it("stays as it is while it is held, and counts what came", () => {
    const first = row(1);
    let feed = nextFeed(startFeed(live([first])), live([first]), true);
    assert.equal(feed.came, 0);
    feed = nextFeed(feed, live([row(2), first], [under(3)]), true);
    assert.deepEqual([ids(feed), feed.came], [[1], 2]);
    feed = nextFeed(feed, live([row(4), row(3), row(2), first], [], 10), true);
    assert.deepEqual([ids(feed), feed.came], [[1], 13]);
  });

  it("counts on when the list has forgotten what it showed", () => {
    let feed = nextFeed(startFeed(live([row(1)])), live([row(1)]), true);
    feed = nextFeed(feed, live([row(3), row(2)]), true);
    feed = nextFeed(feed, live([row(5), row(4)]), true);
    assert.equal(feed.came, 4);
  });

  it("shows everything when it is let go, and counts anew when it is held again", () => {
    let feed = nextFeed(startFeed(live([row(1)])), live([row(2), row(1)]), true);
    feed = nextFeed(feed, live([row(3), row(2), row(1)]), false);
    assert.deepEqual([ids(feed), feed.came, feed.isHeld], [[3, 2, 1], 0, false]);
    feed = nextFeed(feed, live([row(4), row(3), row(2), row(1)]), true);
    assert.deepEqual([ids(feed), feed.came], [[3, 2, 1], 1]);
  });

  it("tells in its place how a call ended that was under way", () => {
    const first = row(1);
    let feed = nextFeed(startFeed(live([first], [under(2)])), live([first], [under(2)]), true);
    feed = nextFeed(feed, live([row(2, { outcome: "CANCELLED" }), first]), true);
    assert.deepEqual(ids(feed), [2, 1]);
    assert.equal(feed.rows[0]?.outcome, "CANCELLED");
    assert.equal(feed.came, 0);
  });

  it("knows that a call ended of whose end it was not told", () => {
    const feed = nextFeed(startFeed(live([], [under(2)])), live([row(9)], [], 500), true);
    assert.deepEqual([feed.rows[0]?.state, feed.rows[0]?.outcome], ["ended", null]);
  });

  it("says how many arrived at once", () => {
    const feed = nextFeed(startFeed(live([row(1)])), live([row(3), row(2), row(1)], [], 5), false);
    assert.equal(feed.arrived, 7);
    assert.equal(nextFeed(feed, feed.live, true).arrived, 7);
  });
});

describe("when calls began", () => {
  it("is what it was when a call was first seen", () => {
    const first = beganTimes(new Map(), [row(1, { ms: 30 })], 1_000);
    const later = beganTimes(first, [row(1, { ms: 300 }), row(2, { ms: 5 })], 1_250);
    assert.deepEqual(
      [...later],
      [
        [1, 970],
        [2, 1_245],
      ],
    );
  });

  it("is forgotten with the call", () => {
    assert.equal(beganTimes(new Map([[1, 5]]), [], 1_000).size, 0);
  });
});
