import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildSupervised, never } from "../../test/support/supervised.ts";
import { ZaguanError } from "../errors.ts";
import { EMPTY_OBJECT } from "../protocol/json/payload.ts";

describe("a supervised source, coming to life", () => {
  it("starts nothing before it is needed", async () => {
    const hub = buildSupervised();
    await hub.clock.advance(1_000_000);
    assert.equal(hub.kind.attempts.length, 0);
    assert.equal(hub.source.status().state, "idle");
    assert.deepEqual(hub.events, []);
  });

  it("starts nothing while it may not, and says that nothing was sent", async () => {
    let mayStart = false;
    const hub = buildSupervised({ mayStart: () => mayStart });
    const stop = new AbortController();
    const waiting = hub.request("one", stop.signal);
    await hub.clock.advance(400);
    assert.equal(hub.kind.attempts.length, 0);
    stop.abort(new ZaguanError("CANCELLED", { delivery: "not_sent" }));
    await assert.rejects(waiting, { code: "CANCELLED" });
    mayStart = true;
    const answer = hub.request("two");
    await hub.clock.advance(1_000);
    hub.kind.last.succeed();
    await answer;
    assert.equal(hub.kind.attempts.length, 1);
  });

  it("is known by its name, its kind and what policy or kind say of it", () => {
    const { source } = buildSupervised();
    assert.deepEqual([source.name, source.kind, source.trusted, source.concurrency], ["s", "fake", false, 3]);
    const other = buildSupervised({ trusted: true, concurrency: 9 }).source;
    assert.deepEqual([other.trusted, other.concurrency], [true, 9]);
    assert.equal(source.hasThings, false, "it stands among the houses");
  });

  it("connects once for all who wait, and passes their requests on", async () => {
    const hub = buildSupervised();
    const answers = [hub.request("one"), hub.request("two"), hub.source.listTools(never)];
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 1);
    assert.equal(hub.kind.last.options, "options");
    const connection = hub.kind.last.succeed();
    const [first, , tools] = await Promise.all(answers);
    assert.equal((first as { text: string }).text, '"done"');
    assert.equal((tools as { length: number }).length, 1);
    assert.deepEqual(
      connection.requests.map(({ name }) => name),
      ["one", "two"],
    );
    assert.deepEqual(hub.states(), ["starting", "ready"]);
    assert.equal(hub.source.status().restarts, 0);
    assert.ok((hub.source.status().lastSeen ?? 0) > 1_600_000_000_000);
  });

  it("passes on what the connection says of a failed request", async () => {
    const hub = buildSupervised();
    const failing = hub.request("fails");
    await hub.clock.advance(0);
    hub.kind.last.succeed();
    await assert.rejects(failing, (error) => error instanceof ZaguanError && error.code === "OUTCOME_UNKNOWN");
  });

  it("lets a request wait only as long as its own signal, and tells why it stopped", async () => {
    const hub = buildSupervised();
    const late = new ZaguanError("DEADLINE_EXCEEDED", { params: { source: "s", seconds: 1 } });
    const [deadline, caller] = [new AbortController(), new AbortController()];
    const waiting = [hub.request("a", deadline.signal), hub.request("b", caller.signal), hub.request("c")];
    deadline.abort(late);
    caller.abort();
    await assert.rejects(waiting[0] as Promise<unknown>, (error: ZaguanError) => {
      assert.deepEqual(
        [error.code, error.delivery, error.details.retryAfterMs],
        ["SOURCE_STARTING", "not_sent", 5_000],
      );
      return true;
    });
    await assert.rejects(waiting[1] as Promise<unknown>, { code: "CANCELLED" });
    await hub.clock.advance(0);
    const connection = hub.kind.last.succeed();
    await waiting[2];
    assert.deepEqual(
      connection.requests.map(({ name }) => name),
      ["c"],
    );
  });

  it("is seen installing, with the last line of its log, where its program may install something and takes its time", async () => {
    const [fast, slow] = [buildSupervised(), buildSupervised({}, { installs: true })];
    for (const one of [fast, slow]) {
      one.request("x").catch(() => {});
      await one.clock.advance(0);
      one.kind.last.context.onLog("npm http fetch GET 200");
      await one.clock.advance(2_000);
    }
    assert.deepEqual([fast.last().state, slow.last().state], ["starting", "installing"]);
    assert.equal(slow.source.status().progress, "npm http fetch GET 200");
    slow.kind.last.succeed();
    await slow.clock.advance(0);
    assert.deepEqual([slow.last().state, slow.source.status().progress], ["ready", undefined]);
  });

  it("is not started by a request that was given up already", async () => {
    const hub = buildSupervised();
    await assert.rejects(hub.request("x", AbortSignal.abort()), { code: "CANCELLED" });
    assert.equal(hub.kind.attempts.length, 0);
  });

  it("gives up a connect that takes too long, and tries again for those who wait", async () => {
    const hub = buildSupervised({ readyMs: 10_000 });
    const answer = hub.request("x");
    await hub.clock.advance(9_999);
    assert.equal(hub.kind.last.signal.aborted, false);
    await hub.clock.advance(1);
    assert.equal(hub.kind.last.signal.aborted, true);
    assert.equal(hub.last().state, "waiting");
    assert.equal(hub.last().reason, "did not become ready within 10 s");
    await hub.clock.advance(500);
    assert.equal(hub.kind.attempts.length, 2);
    hub.kind.last.succeed();
    await answer;
  });

  it("does not wait for ever for a kind that does not heed, and closes what it brings too late", async () => {
    const hub = buildSupervised({ readyMs: 1000 });
    const answer = hub.request("x");
    await hub.clock.advance(0);
    const deaf = hub.kind.last;
    deaf.heedsSignal = false;
    await hub.clock.advance(15_999);
    assert.deepEqual(hub.states(), ["starting"]);
    await hub.clock.advance(1);
    assert.equal(hub.last().state, "waiting");
    const late = deaf.succeed();
    await hub.clock.advance(500);
    assert.equal(late.closes, 1);
    hub.kind.last.succeed();
    await answer;
  });

  it("closes a connection that came in the moment after its time, and does not use it", async () => {
    const hub = buildSupervised({ readyMs: 1000 });
    hub.request("x").catch(() => {});
    await hub.clock.advance(0);
    const slow = hub.kind.last;
    slow.heedsSignal = false;
    await hub.clock.advance(1000);
    const late = slow.succeed();
    await hub.clock.advance(0);
    assert.deepEqual([late.closes, late.requests.length], [1, 0]);
    assert.equal(hub.last().state, "waiting");
  });

  it("keeps the inner reason of an unexpected failure from callers, and tells the log", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.clock.advance(0);
    const cause = new TypeError("/home/ana/secret is undefined");
    hub.kind.last.failWith(cause);
    await hub.clock.advance(0);
    assert.equal(hub.source.status().lastError, "it failed in an unexpected way");
    assert.ok(hub.events.some((event) => event.type === "internal-error" && event.cause === cause));
  });
});

describe("a supervised source, living and dying", () => {
  it("restarts by itself after a life that had been ready, and says that its tools may have changed", async () => {
    const hub = buildSupervised();
    const life = await hub.live();
    assert.equal(hub.toolsChanged(), 0);
    life.die("exited with code 3");
    await hub.clock.advance(0);
    assert.deepEqual(hub.last(), {
      type: "source-state",
      source: "s",
      state: "waiting",
      reason: "exited with code 3",
      restarts: 0,
      nextTryMs: 499,
    });
    await hub.clock.advance(500);
    hub.kind.last.succeed();
    await hub.clock.advance(0);
    assert.deepEqual(hub.states(), ["starting", "ready", "waiting", "starting", "ready"]);
    assert.deepEqual([hub.source.status().restarts, hub.toolsChanged()], [1, 1]);
    assert.equal(hub.source.status().lastError, "exited with code 3");
  });

  it("begins no new life before the last one is cleared away", async () => {
    const hub = buildSupervised();
    const life = await hub.live();
    let cleared = (): void => {};
    life.cleanup = new Promise((resolve) => {
      cleared = resolve;
    });
    life.die("exited");
    await hub.clock.advance(5000);
    assert.deepEqual([hub.kind.attempts.length, life.closes], [1, 1]);
    cleared();
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 2);
  });

  it("lets requests wait through a restart", async () => {
    const hub = buildSupervised();
    (await hub.live()).die("exited");
    await hub.clock.advance(0);
    const answer = hub.request("x");
    await hub.clock.advance(500);
    hub.kind.last.succeed();
    assert.equal((await answer).text, '"done"');
  });

  it("waits ever longer between lives that answer nothing, and goes back once one has answered", async () => {
    const hub = buildSupervised();
    let life = await hub.live();
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      life.die("exited");
      await hub.clock.advance(0);
      waits.push(hub.last().nextTryMs);
      await hub.clock.advance(10_000);
      life = hub.kind.last.succeed();
      await hub.clock.advance(0);
    }
    await hub.request("x");
    life.die("exited");
    await hub.clock.advance(0);
    assert.deepEqual([...waits, hub.last().nextTryMs], [499, 999, 1999, 499]);
  });

  it("does not take lives for a crash loop that each answered, or lasted a while", async () => {
    const hub = buildSupervised();
    let life = await hub.live();
    for (let i = 0; i < 12; i++) {
      if (i % 2) await hub.request("x");
      else await hub.clock.advance(12_000);
      life.die("exited");
      await hub.clock.advance(500);
      life = hub.kind.last.succeed();
      await hub.clock.advance(0);
    }
    assert.ok(!hub.states().includes("broken"));
  });

  it("does not take a list of tools for an answer: the hub asks for it after every restart", async () => {
    const hub = buildSupervised();
    let life = await hub.live();
    for (let i = 0; i < 4; i++) {
      await hub.source.listTools(never);
      life.die("exited");
      await hub.clock.advance(10_000);
      life = hub.kind.last.succeed();
      await hub.clock.advance(0);
    }
    life.die("exited");
    await hub.clock.advance(0);
    assert.equal(hub.last().state, "broken");
  });

  it("hands on that the source's tools changed, and keeps the end of its log", async () => {
    const hub = buildSupervised();
    await hub.live();
    hub.kind.last.context.onToolsChanged();
    for (let i = 0; i < 150; i++) hub.kind.last.context.onLog(`line ${i}`);
    assert.equal(hub.toolsChanged(), 1);
    const { log } = hub.source.status();
    assert.deepEqual([log.length, log[0], log[99]], [100, "line 50", "line 149"]);
  });

  it("passes on what the source asks, and the signal that takes the question back", async () => {
    const asked: unknown[] = [];
    const hub = buildSupervised({
      onRequest: async (...question) => {
        asked.push(...question);
        return EMPTY_OBJECT;
      },
    });
    void hub.request("one").catch(() => {});
    await hub.clock.advance(0);
    const { signal } = new AbortController();
    await hub.kind.last.context.onRequest("roots/list", EMPTY_OBJECT, signal);
    assert.deepEqual(asked, ["roots/list", EMPTY_OBJECT, signal]);
    assert.equal(asked[2], signal);
  });
});
