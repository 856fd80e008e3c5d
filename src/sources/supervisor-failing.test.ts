import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildSupervised } from "../../test/support/supervised.ts";
import { ZaguanError } from "../errors.ts";

describe("a supervised source that keeps failing", () => {
  it("is broken after five failed connects, and tells those who waited", async () => {
    const hub = buildSupervised();
    const answer = assert.rejects(hub.request("x"), (error) => {
      assert.ok(error instanceof ZaguanError);
      assert.equal(error.code, "SOURCE_UNAVAILABLE");
      assert.deepEqual(error.details.params, { source: "s", reason: "keeps failing: command not found: foo" });
      assert.deepEqual([error.delivery, error.details.retryAfterMs], ["not_sent", 7_999]);
      return true;
    });
    await hub.fail(5);
    await answer;
    assert.equal(hub.kind.attempts.length, 5);
    assert.equal(hub.last().state, "broken");
    assert.equal(hub.last().reason, "command not found: foo");
  });

  it("is tried every second while somebody waits, so that they are told within seconds", async () => {
    const hub = buildSupervised();
    const started = hub.clock.now();
    const answer = assert.rejects(hub.request("x"), { code: "SOURCE_UNAVAILABLE" });
    await hub.clock.advance(0);
    for (let attempt = 1; attempt <= 5; attempt++) {
      hub.kind.last.fail("no such program");
      await hub.clock.advance(attempt === 5 ? 0 : 1_000);
    }
    await answer;
    assert.ok(hub.clock.now() - started <= 4_000);
  });

  it("is tried half a second after its failure when somebody asks sooner, however long its pause", async () => {
    const hub = buildSupervised();
    hub.source.start?.();
    await hub.clock.advance(0);
    for (const pause of [500, 1_000]) {
      hub.kind.last.fail("no such program");
      await hub.clock.advance(pause);
    }
    hub.kind.last.fail("no such program");
    await hub.clock.advance(100);
    const answer = hub.request("x");
    await hub.clock.advance(399);
    assert.equal(hub.kind.attempts.length, 3);
    await hub.clock.advance(1);
    assert.equal(hub.kind.attempts.length, 4);
    hub.kind.last.succeed();
    await answer;
  });

  it("is tried by itself ever more slowly, and every half minute in the end", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.fail(5);
    for (const [index, ms] of [8_000, 16_000, 30_000, 30_000].entries()) {
      await hub.clock.advance(0.9 * ms);
      assert.equal(hub.kind.attempts.length, 5 + index);
      await hub.clock.advance(0.1 * ms);
      assert.equal(hub.kind.attempts.length, 6 + index);
      hub.kind.last.fail("still broken");
      await hub.clock.advance(0);
    }
    assert.equal(hub.source.status().lastError, "still broken");
  });

  it("is tried at once when somebody asks for it, though not in the first moment after a failure", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.fail(5);
    await hub.clock.advance(499);
    await assert.rejects(hub.request("y"), { code: "SOURCE_UNAVAILABLE" });
    assert.equal(hub.kind.attempts.length, 5);
    await hub.clock.advance(1);
    const answers = [hub.request("y"), hub.request("z")];
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 6);
    hub.kind.last.succeed();
    await Promise.all(answers);
    assert.equal(hub.last().state, "ready");
  });

  it("keeps nobody waiting who asks for it: for as long as it is tried, and two seconds at most", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.fail(5);
    await hub.clock.advance(1_000);
    const failing = assert.rejects(hub.request("y"), { code: "SOURCE_UNAVAILABLE" });
    await hub.clock.advance(0);
    hub.kind.last.fail("still broken");
    await failing;
    await hub.clock.advance(1_000);
    const waiting = assert.rejects(hub.request("y"), { code: "SOURCE_UNAVAILABLE" });
    await hub.clock.advance(2_000);
    await waiting;
    assert.equal(hub.kind.attempts.length, 7, "it is still being tried");
  });

  it("that is not broken yet is tried at once for somebody, too", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.fail(3);
    hub.kind.last.fail("once more");
    await hub.clock.advance(500);
    assert.deepEqual([hub.last().state, hub.kind.attempts.length], ["waiting", 4]);
    void hub.request("y").catch(() => {});
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 5);
  });

  it("is ready again when a try succeeds, and broken again at once if that life is of no use either", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.fail(5);
    await hub.clock.advance(8_000);
    const life = hub.kind.last.succeed();
    await hub.clock.advance(0);
    assert.equal(hub.last().state, "ready");
    assert.equal(hub.toolsChanged(), 1);
    life.die("exited");
    await hub.clock.advance(0);
    assert.equal(hub.last().state, "broken");
    await hub.clock.advance(16_000);
    const better = hub.kind.last.succeed();
    await hub.clock.advance(0);
    await hub.request("y");
    better.die("exited");
    await hub.clock.advance(0);
    assert.equal(hub.last().state, "waiting");
  });

  it("counts failed connects and useless lives together, and forgets them after an answer", async () => {
    const hub = buildSupervised();
    let life = await hub.live();
    life.die("exited");
    await hub.clock.advance(500);
    await hub.fail(3);
    life = hub.kind.last.succeed();
    await hub.request("x");
    life.die("exited");
    await hub.clock.advance(500);
    await hub.fail(4);
    assert.ok(!hub.states().includes("broken"));
    await hub.fail(1);
    assert.equal(hub.last().state, "broken");
  });
});

describe("a supervised source that is lent to a client", () => {
  const client = { capabilities: {} };

  it("is given up when it cannot be opened once", async () => {
    const hub = buildSupervised({ client });
    const answer = assert.rejects(hub.request("x"), { code: "SOURCE_UNAVAILABLE" });
    await hub.fail(1);
    await answer;
    assert.equal(hub.last().state, "broken");
  });

  it("is waited for when it was open and ended in its first call", async () => {
    const hub = buildSupervised({ client });
    const connection = await hub.live();
    connection.die("killed by SIGKILL");
    await hub.clock.advance(0);
    const answer = hub.request("x");
    await hub.clock.advance(500);
    hub.kind.last.succeed();
    await answer;
  });
});

describe("closing a supervised source", () => {
  it("closes the life, waits for it, and refuses everything after", async () => {
    const hub = buildSupervised();
    const life = await hub.live();
    let cleared = (): void => {};
    life.cleanup = new Promise((resolve) => {
      cleared = resolve;
    });
    let done = false;
    const closing = hub.source.close().then(() => {
      done = true;
    });
    await hub.clock.advance(0);
    assert.deepEqual([life.closes, done], [1, false]);
    assert.equal(hub.kind.last.signal.aborted, false, "the connect is long over");
    cleared();
    await closing;
    await assert.rejects(hub.request("x"), (error) => notSent(error));
    assert.equal(hub.last().state, "closed");
    await hub.clock.advance(1_000_000);
    assert.deepEqual([hub.kind.attempts.length, hub.clock.pending], [1, 0]);
  });

  it("in the middle of a connect gives that up, waits for it, and rejects who waits", async () => {
    const hub = buildSupervised();
    const answer = assert.rejects(hub.request("x"), (error) => notSent(error));
    await hub.clock.advance(0);
    await hub.source.close();
    await answer;
    assert.equal(hub.kind.last.signal.aborted, true);
    assert.deepEqual(hub.states(), ["starting", "closed"]);
    assert.equal(hub.clock.pending, 0);
  });

  it("closes a connection that was made in the very moment", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.clock.advance(0);
    const connection = hub.kind.last.succeed();
    await hub.source.close();
    assert.deepEqual([connection.closes, connection.requests.length], [1, 0]);
    assert.equal(hub.last().state, "closed");
  });

  it("while waiting or broken leaves no timer behind", async () => {
    for (const failures of [1, 5]) {
      const hub = buildSupervised();
      const answer = assert.rejects(hub.request("x"));
      await hub.fail(failures);
      await hub.source.close();
      await answer;
      assert.equal(hub.clock.pending, 0);
      await hub.clock.advance(1_000_000);
      assert.equal(hub.last().state, "closed");
    }
  });

  it("is done once for all who ask, started or not", async () => {
    const hub = buildSupervised();
    assert.equal(hub.source.close(), hub.source.close());
    await hub.source.close();
    assert.deepEqual(hub.states(), ["closed"]);
  });
});

function notSent(error: unknown): true {
  assert.ok(error instanceof ZaguanError);
  assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
  return true;
}
