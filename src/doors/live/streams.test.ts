/** `GET /events` over real sockets: what those who watch are told, when, and what becomes of those who do not read. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { LiveStream } from "../../../test/support/live-stream.ts";
import { aSource } from "../../../test/support/monitored.ts";
import { LOCAL } from "../../../test/support/open-doors.ts";
import { aRow, DARK, type OpenLive, openLive } from "../../../test/support/open-live.ts";
import { until } from "../../../test/support/processes.ts";
import type { Principal } from "../../core/call.ts";
import type { DoorContext, Exchange } from "../door.ts";
import { live } from "./index.ts";

const LIMITED: Principal = { id: "key:bob", kind: "key", name: "bob", allow: ["tv__*"] };
const CHANGED = { type: "source-state", source: "tv", state: "ready", restarts: 0 } as const;

let hub: OpenLive;
beforeEach(async () => {
  hub = await openLive({ local: LOCAL, principals: { bob: LIMITED } });
});
afterEach(async () => {
  await hub.close();
  mock.timers.reset();
});

/** One who has got the whole picture. */
async function watch(headers: Readonly<Record<string, string>> = {}): Promise<LiveStream> {
  const stream = await hub.watch(headers);
  await stream.hello();
  return stream;
}

const later = (stream: LiveStream): string[] => stream.events.slice(1).map(({ name }) => name);

describe("the first thing", () => {
  it("is the whole picture", async () => {
    hub.sources.push(aSource({ name: "tv", state: "broken", lastError: "no signal", revision: "2025-06-18" }));
    hub.ended.push(aRow(1), aRow(2));
    hub.running.push(aRow(3, { state: "running", outcome: null }));
    const { figures, ...hello } = await (await watch()).hello();
    assert.deepEqual(hello, {
      version: "9.9.9",
      startedUtc: "2026-01-01T00:00:00.000Z",
      principal: { kind: "local", name: "local", admin: true, limited: false },
      servers: [
        {
          name: "tv",
          kind: "stdio",
          isMcp: true,
          state: "broken",
          silent: false,
          tools: 3,
          restarts: 0,
          lastError: "no signal",
          progress: null,
          revision: "2025-06-18",
        },
      ],
      tools: { count: 3, clashes: [] },
      calls: { ended: [aRow(2), aRow(1)], skipped: 0, running: hub.running, inFlight: 1 },
      house: DARK,
      homes: [],
    });
    assert.deepEqual([figures?.inFlight, figures?.uptimeSeconds, figures?.point.errors], [1, 7, 0]);
  });

  it("is an event stream that nothing on the way keeps", async () => {
    const { status, headers } = await watch();
    assert.deepEqual([status, headers["content-type"]], [200, "text/event-stream"]);
    assert.equal(headers["cache-control"], "no-store");
  });

  it("is only the head for those who ask for that", async () => {
    const { status, text } = await hub.ask("/events", { method: "HEAD" });
    assert.deepEqual([status, text], [200, ""]);
    assert.equal(hub.eventListeners.size, 0);
  });
});

describe("while nothing happens", () => {
  it("nothing is said but the figures, every two seconds", async () => {
    const stream = await watch();
    await hub.tick(7);
    assert.deepEqual(later(stream), []);
    await hub.tick(9);
    await until("two times figures", () => later(stream).length >= 2);
    assert.deepEqual(later(stream), ["figures", "figures"]);
  });

  it("and nobody watches, nothing is looked at and nobody listens", async () => {
    const first = await watch();
    const second = await watch();
    assert.deepEqual([hub.eventListeners.size, hub.gateway.listeners.size, hub.houseListeners.size], [1, 1, 2]);
    first.close();
    await until("one has left", () => hub.houseListeners.size === 1);
    assert.equal(hub.eventListeners.size, 1);
    second.close();
    await until("both have left", () => hub.houseListeners.size === 0);
    assert.deepEqual([hub.eventListeners.size, hub.gateway.listeners.size], [0, 0]);
    hub.askers.clear();
    hub.running.push(aRow(1));
    await hub.tick(20);
    assert.equal(hub.askers.size, 0);
    const third = await watch();
    hub.ended.push(aRow(2));
    await hub.tick();
    assert.equal((await third.find("calls")).ended[0]?.id, 2, "and it begins again with the next");
  });
});

describe("servers", () => {
  it("are told of when they change, those alone, and gathered", async () => {
    hub.sources.push(aSource({ name: "tv" }), aSource({ name: "lamp" }));
    const stream = await watch();
    hub.sources[0] = aSource({ name: "tv", state: "waiting" });
    hub.emit(CHANGED);
    hub.sources[0] = aSource({ name: "tv", state: "ready", restarts: 1 });
    hub.emit(CHANGED);
    await hub.tick();
    const { changed, removed } = await stream.find("servers");
    assert.deepEqual([changed.map(({ name, restarts }) => [name, restarts]), removed], [[["tv", 1]], []]);
    await hub.tick(3);
    assert.equal(stream.named("servers").length, 1);
  });

  it("are told of when they come and go", async () => {
    hub.sources.push(aSource({ name: "tv" }));
    const stream = await watch();
    hub.sources = [aSource({ name: "lamp" })];
    hub.emit({ type: "config-reloaded", added: ["lamp"], removed: ["tv"], changed: [] });
    await hub.tick();
    const { changed, removed } = await stream.find("servers");
    assert.deepEqual([changed.map(({ name }) => name), removed], [["lamp"], ["tv"]]);
  });

  it("are told of when one falls silent", async () => {
    hub.sources.push(aSource({ name: "tv" }));
    const stream = await watch();
    const silent = { type: "source-silent", source: "tv", isSilent: true } as const;
    hub.statistics.take(silent);
    hub.emit(silent);
    await hub.tick();
    assert.equal((await stream.find("servers")).changed[0]?.silent, true);
  });

  it("that start are looked at every second, since a line of a log is no event; others are not", async () => {
    hub.sources.push(aSource({ name: "tv", state: "installing", progress: "fetching" }));
    const stream = await watch();
    hub.sources[0] = aSource({ name: "tv", state: "installing", progress: "unpacking" });
    await hub.tick(4);
    assert.equal((await stream.find("servers")).changed[0]?.progress, "unpacking");
    hub.sources[0] = aSource({ name: "tv" });
    hub.emit(CHANGED);
    await hub.tick();
    await until("it is ready", () => stream.named("servers").length === 2);
    hub.sources[0] = aSource({ name: "tv", progress: "nobody looks" });
    await hub.tick(8);
    assert.equal(stream.named("servers").length, 2);
  });

  it("that did not change are not told of, whatever happened", async () => {
    hub.sources.push(aSource({ name: "tv" }));
    const stream = await watch();
    hub.emit(CHANGED);
    await hub.tick(3);
    assert.deepEqual(later(stream), []);
  });

  it("that change while the first picture is being made are not lost", async () => {
    let listed = (): void => {};
    hub.listing = new Promise((resolve) => {
      listed = resolve;
    });
    hub.sources.push(aSource({ name: "tv", state: "starting" }));
    const opening = hub.watch({ "x-api-key": "bob" });
    await until("it is on its way", () => hub.askers.size === 0);
    for (let some = 0; some < 20; some++) await turn();
    hub.sources[0] = aSource({ name: "tv", state: "ready" });
    hub.emit(CHANGED);
    listed();
    const stream = await opening;
    const hello = await stream.hello();
    await hub.tick(2);
    const known = [...hello.servers, ...stream.named("servers").flatMap(({ changed }) => changed)].at(-1);
    assert.equal(known?.state, "ready");
  });
});

describe("tools", () => {
  it("are told of by their number when what is on offer changed, once for many changes", async () => {
    const stream = await watch();
    hub.gateway.tools = [];
    hub.gateway.clashes = () => [{ tool: "lamp", keeper: "a", renamed: "b" }];
    for (let times = 0; times < 5; times++) hub.gateway.toolsChanged();
    await hub.tick();
    assert.deepEqual(await stream.find("tools"), {
      count: 0,
      clashes: [{ tool: "lamp", keeper: "a", renamed: "b" }],
    });
    await hub.tick(3);
    assert.equal(stream.named("tools").length, 1);
  });
});

describe("calls", () => {
  it("are told of when they begin, run and end, and not again", async () => {
    const stream = await watch();
    hub.running.push(aRow(1, { state: "waiting", outcome: null }));
    await hub.tick(3);
    hub.running[0] = aRow(1, { state: "running", outcome: null });
    await hub.tick(3);
    hub.running.pop();
    hub.ended.push(aRow(1));
    await hub.tick(1);
    await until("all is told", () => stream.named("calls").length >= 3);
    const told = stream.named("calls").map(({ ended, running }) => [ended.length, running[0]?.state]);
    assert.deepEqual(told, [
      [0, "waiting"],
      [0, "running"],
      [1, undefined],
    ]);
  });

  it("that are too many are counted instead", async () => {
    const stream = await watch();
    for (let id = 1; id <= 1_000; id++) hub.ended.push(aRow(id));
    for (let id = 2_000; id < 2_300; id++) hub.running.push(aRow(id, { state: "waiting" }));
    await hub.tick();
    const { ended, skipped, running, inFlight } = await stream.find("calls");
    assert.deepEqual([ended.length, ended[0]?.id, skipped], [200, 1_000, 800]);
    assert.deepEqual([running.length, inFlight], [200, 300]);
  });
});

describe("the house", () => {
  it("is told of at once", async () => {
    const stream = await watch();
    const lit = { ...DARK, lights: { salon: true } };
    for (const listener of hub.houseListeners) listener.house(lit);
    assert.deepEqual(await stream.find("house"), { house: lit });
    for (const listener of hub.houseListeners) listener.home({ name: "madrid", removed: true });
    assert.deepEqual(await stream.find("home"), { name: "madrid", removed: true });
  });
});

describe("who may use some tools only", () => {
  it("sees what it may use, its own calls, and nothing of what went wrong elsewhere", async () => {
    hub.sources.push(aSource({ name: "tv", lastError: "at 10.0.0.7" }), aSource({ name: "secret" }));
    hub.gateway.isReachable = (name) => name === "tv";
    hub.gateway.clashes = () => [{ tool: "lamp", keeper: "a", renamed: "b" }];
    hub.gateway.findTool = () => undefined;
    hub.ended.push(aRow(1), aRow(2, { principal: "bob" }));
    const stream = await watch({ "x-api-key": "bob" });
    const { principal, servers, tools, calls, house, homes } = await stream.hello();
    assert.deepEqual(principal, { kind: "key", name: "bob", admin: false, limited: true });
    assert.deepEqual(
      servers.map(({ name, lastError }) => [name, lastError]),
      [["tv", null]],
    );
    assert.deepEqual([tools.clashes, calls.ended.map(({ id }) => id), house, homes], [[], [2], null, []]);
    for (const listener of hub.houseListeners) {
      listener.house(DARK);
      listener.home({ name: "madrid", removed: true });
    }
    hub.ended.push(aRow(3), aRow(4, { principal: "bob" }));
    await hub.tick();
    assert.deepEqual(
      (await stream.find("calls")).ended.map(({ id }) => id),
      [4],
    );
    assert.deepEqual(later(stream), ["calls"], "and of the houses nothing");
  });

  it("sees the simulated house if it may look at it", async () => {
    hub.gateway.findTool = (_, name) => (name === "house__get_all_states" ? hub.gateway.tools[0] : undefined);
    const stream = await watch({ "x-api-key": "bob" });
    assert.deepEqual((await stream.hello()).house, DARK);
  });

  it("hears nothing where others' calls are all that is new", async () => {
    const stream = await watch({ "x-api-key": "bob" });
    hub.ended.push(aRow(1));
    hub.running.push(aRow(2, { state: "running" }));
    await hub.tick(4);
    hub.ended.push(aRow(3, { principal: "bob" }));
    await hub.tick();
    await stream.find("calls");
    assert.deepEqual(
      stream.named("calls").map(({ ended, running }) => [ended.map(({ id }) => id), running]),
      [[[3], []]],
      "not even that there was something",
    );
  });
});

describe("whose key is revoked while it watches", () => {
  it("is told no more than one who may use nothing, until it is cut", async () => {
    let isRevoked = false;
    const carol: Principal = {
      id: "key:carol",
      kind: "key",
      name: "carol",
      get allow() {
        return isRevoked ? [] : undefined;
      },
    };
    await hub.close();
    mock.timers.reset();
    hub = await openLive({ local: LOCAL, principals: { carol } });
    hub.gateway.isReachable = () => false;
    hub.gateway.findTool = () => undefined;
    const stream = await watch({ "x-api-key": "carol" });
    isRevoked = true;
    hub.sources.push(aSource({ name: "secret", lastError: "at 10.0.0.7" }));
    hub.emit(CHANGED);
    for (const listener of hub.houseListeners) {
      listener.house(DARK);
      listener.home({ name: "madrid", removed: true });
    }
    await hub.tick(8);
    await turn();
    assert.deepEqual(later(stream), []);
  });
});

describe("how many may watch", () => {
  it("is a hundred; the next one is told to come again, and may when one has left", async () => {
    const streams = await Promise.all(Array.from({ length: 100 }, () => watch()));
    const refused = await hub.ask("/events");
    assert.deepEqual([refused.status, refused.json["code"]], [503, "NO_CAPACITY"]);
    assert.equal(refused.headers["retry-after"], "5");
    assert.doesNotMatch(refused.text, /[{]\w+[}]/, "in words that are whole");
    streams[0]?.close();
    await until("it has left", () => hub.houseListeners.size === 99);
    assert.equal((await watch()).status, 200);
  });

  it("is twenty for one who does not look after the hub, so that who does gets in", async () => {
    await Promise.all(Array.from({ length: 20 }, () => watch({ "x-api-key": "bob" })));
    assert.equal((await hub.ask("/events", { headers: { "x-api-key": "bob" } })).status, 503);
    assert.equal((await watch()).status, 200);
  });

  it("is a hundred also when all come at once", async () => {
    let listed = (): void => {};
    hub.listing = new Promise((resolve) => {
      listed = resolve;
    });
    const opening = Array.from({ length: 130 }, () => hub.watch());
    for (let some = 0; some < 200; some++) await turn();
    listed();
    const streams = await Promise.all(opening);
    assert.equal(streams.filter(({ status }) => status === 200).length, 100);
    assert.equal(streams.filter(({ status }) => status === 503).length, 30);
  });
});

describe("who does not read", () => {
  it("is cut before its backlog becomes our memory; the others go on", async () => {
    const [lazy, diligent] = [await watch(), await watch()];
    lazy.pause();
    const padding = "x".repeat(500_000);
    for (let round = 0; round < 100 && hub.houseListeners.size === 2; round++) {
      hub.ended.push(aRow(round, { tool: padding }));
      await hub.tick();
      const told = round + 1;
      await until("the other has read it", () => diligent.named("calls").length === told);
    }
    assert.equal(hub.houseListeners.size, 1);
    assert.equal(diligent.isOver, false);
  });
});

describe("the end", () => {
  it("of the hub is the end of every stream", async () => {
    const streams = [await watch(), await watch()];
    await hub.close();
    await until("all are over", () => streams.every(({ isOver }) => isOver));
    assert.equal(hub.eventListeners.size, 0);
  });

  it("of the hub also comes to one whose first picture is being made, and does not wait for it", async () => {
    hub.listing = new Promise(() => {});
    const opening = hub.watch({ "x-api-key": "bob" });
    await until("it is on its way", () => hub.eventListeners.size === 1);
    await hub.close();
    const stream = await opening;
    await until("it is over", () => stream.isOver);
    assert.deepEqual([stream.status, hub.eventListeners.size, hub.houseListeners.size], [503, 0, 0]);
  });

  it("of the hub is the end for those who come afterwards, on a connection that is still open", async () => {
    const door = live({ gateway: hub.gateway } as unknown as DoorContext);
    door.close?.();
    const open = door.routes.find(({ path }) => path === "/events");
    const exchange = { principal: LOCAL, request: { method: "GET" } } as unknown as Exchange;
    await assert.rejects(async () => open?.handle(exchange), { code: "NO_CAPACITY" });
    assert.equal(hub.eventListeners.size, 0);
  });

  it("comes to a stream whose news cannot be made, and is reported", async () => {
    const stream = await watch({ "x-api-key": "bob" });
    hub.gateway.listTools = () => Promise.reject(new Error("boom"));
    hub.gateway.toolsChanged();
    await hub.tick();
    await until("it is over", () => stream.isOver);
    assert.match(String(hub.reported[0]), /boom/);
    assert.equal(hub.eventListeners.size, 0);
  });
});
