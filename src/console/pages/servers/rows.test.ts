/** The list of servers: joined, searched, filtered. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServerLive } from "../../../doors/live/views.ts";
import { found, isOnlyHouse, joined, keptVersion, needsAttention, type ServerRecord } from "./rows.ts";

const LIVE: ServerLive = {
  name: "tv",
  kind: "http",
  isMcp: true,
  state: "ready",
  silent: false,
  tools: 3,
  restarts: 0,
  lastError: null,
  progress: null,
  revision: "2025-11-25",
};
const KEPT: ServerRecord = {
  id: "1",
  name: "tv",
  title: "TV",
  description: null,
  status: "active",
  baseUrl: "https://tv.example/mcp",
  transport: "HTTP+SSE",
  command: null,
  lastSeenUtc: null,
  lastError: null,
  authType: "none",
  origin: "registered",
  createdUtc: "",
  updatedUtc: "",
  kind: "http",
  state: "idle",
  tools: 0,
  restarts: 0,
  progress: null,
  revision: null,
  log: [],
};

describe("joined", () => {
  test("what is live wins, the rest comes from what is kept", () => {
    const [row] = joined([LIVE], [KEPT]);
    assert.deepEqual(row, {
      ...LIVE,
      title: "TV",
      transport: "HTTP+SSE",
      origin: "registered",
      place: "https://tv.example/mcp",
    });
  });

  test("an error that is kept is told while there is no newer one", () => {
    const kept = { ...KEPT, lastError: "refused" };
    assert.equal(joined([LIVE], [kept])[0]?.lastError, "refused");
    assert.equal(joined([{ ...LIVE, lastError: "gone" }], [kept])[0]?.lastError, "gone");
  });

  test("the last line of the log of one that starts is the live one", () => {
    const [row] = joined([{ ...LIVE, state: "installing", progress: "fetching" }], [{ ...KEPT, progress: "older" }]);
    assert.deepEqual([row?.state, row?.progress], ["installing", "fetching"]);
  });

  test("one that could not be attached is there, one that was removed is not", () => {
    const rows = joined(
      [],
      [
        { ...KEPT, kind: "none", state: "closed", lastError: "sealed" },
        { ...KEPT, name: "old" },
      ],
    );
    assert.deepEqual(
      rows.map(({ name, state }) => [name, state]),
      [["tv", "closed"]],
    );
  });

  test("in the order of names and of the numbers in them", () => {
    const rows = joined(
      ["s10", "s9", "A"].map((name) => ({ ...LIVE, name })),
      [],
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["A", "s9", "s10"],
    );
  });
});

describe("found", () => {
  const rows = joined(
    [
      LIVE,
      { ...LIVE, name: "radio", state: "broken", lastError: "connection refused" },
      { ...LIVE, name: "lamp", silent: true },
    ],
    [KEPT],
  );
  const names = (...asked: [string, Parameters<typeof found>[2]]): string[] =>
    found(rows, ...asked).map(({ name }) => name);

  test("by every word, wherever it stands", () => {
    assert.deepEqual(names("TV sse", "all"), ["tv"]);
    assert.deepEqual(names("refused", "all"), ["radio"]);
    assert.deepEqual(names("example", "all"), ["tv"]);
    assert.deepEqual(names("tv radio", "all"), []);
    assert.deepEqual(names("  ", "all"), ["lamp", "radio", "tv"]);
  });

  test("by state", () => {
    assert.deepEqual(names("", "broken"), ["radio"]);
    assert.deepEqual(names("", "silent"), ["lamp"]);
    assert.deepEqual(names("", "attention"), ["lamp", "radio"]);
    assert.deepEqual(names("", "starting"), []);
  });
});

test("one that installs needs no attention", () => {
  const [row] = joined([{ ...LIVE, state: "installing", progress: "fetching" }], []);
  assert.ok(row && !needsAttention(row));
});

test("an old error of one that works now needs no attention; one that nobody could reach does", () => {
  const [row] = joined([{ ...LIVE, lastError: "once" }], []);
  assert.ok(row && !needsAttention(row));
  assert.ok(needsAttention({ ...row, state: "idle" }));
});

test("a house alone is noticed", () => {
  const house = { ...LIVE, name: "house", kind: "house" };
  assert.equal(isOnlyHouse(joined([house], [])), true);
  assert.equal(isOnlyHouse(joined([house, LIVE], [])), false);
});

test("a state alone is no reason to ask for the list again; a new server or other tools are", () => {
  const version = keptVersion([LIVE]);
  assert.equal(keptVersion([{ ...LIVE, state: "waiting", restarts: 9 }]), version);
  assert.notEqual(keptVersion([{ ...LIVE, tools: 4 }]), version);
  assert.notEqual(keptVersion([LIVE, { ...LIVE, name: "b" }]), version);
});
