import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildSupervised, never, type Supervised } from "../../test/support/supervised.ts";
import { Payload } from "../protocol/json/payload.ts";
import { faceOfInitialize } from "../protocol/mcp/face.ts";

/** Whether it has come to an end by now. */
async function isSettled(hub: Supervised, work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  work.then(settle, settle);
  await hub.clock.advance(0);
  return settled;
}

describe("a supervised source, restarted by hand", () => {
  it("ends its life, and begins the next when nothing of the last is left", async () => {
    const hub = buildSupervised();
    const life = await hub.live();
    const cleanup = Promise.withResolvers<void>();
    life.cleanup = cleanup.promise;
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    assert.deepEqual([life.closes, hub.kind.attempts.length], [1, 1]);
    assert.equal(hub.source.status().state, "starting");
    cleanup.resolve();
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 2);
    assert.equal(await isSettled(hub, restarting), false);
    const next = hub.kind.last.succeed();
    await restarting;
    await hub.request("x");
    assert.deepEqual([life.requests.length, next.requests.length], [0, 1]);
    assert.deepEqual([hub.source.status().state, hub.source.status().restarts], ["ready", 1]);
    // The old one's end is no reason to start once more.
    await hub.clock.advance(1_000_000);
    assert.equal(hub.kind.attempts.length, 2);
    assert.equal(hub.toolsChanged(), 1);
  });

  it("starts one that was never needed", async () => {
    const hub = buildSupervised();
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    hub.kind.last.succeed();
    await restarting;
    assert.deepEqual([hub.source.status().state, hub.source.status().restarts], ["ready", 0]);
  });

  it("is restarted once for all who ask for it at the same time, and again for who asks later", async () => {
    const hub = buildSupervised();
    await hub.live();
    const both = [hub.source.restart(), hub.source.restart()];
    await hub.clock.advance(0);
    hub.kind.last.succeed();
    await Promise.all(both);
    assert.equal(hub.kind.attempts.length, 2);
    const again = hub.source.restart();
    await hub.clock.advance(0);
    hub.kind.last.succeed();
    await again;
    assert.equal(hub.kind.attempts.length, 3);
  });

  it("gives up a start that hangs; who waits for it goes on waiting", async () => {
    const hub = buildSupervised();
    const answer = hub.request("x");
    await hub.clock.advance(0);
    const hanging = hub.kind.last;
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    assert.equal(hanging.signal.aborted, true);
    assert.deepEqual([hub.kind.attempts.length, await isSettled(hub, answer)], [2, false]);
    hub.kind.last.succeed();
    await Promise.all([answer, restarting]);
    assert.deepEqual(hub.states(), ["starting", "starting", "ready"]);
    await hub.clock.advance(1_000_000);
    assert.equal(hub.kind.attempts.length, 2);
  });

  it("begins only when what it gave up, or what died before, is cleared away", async () => {
    const hub = buildSupervised();
    const life = await hub.live();
    const cleanup = Promise.withResolvers<void>();
    life.cleanup = cleanup.promise;
    life.die("exited with code 3");
    await hub.clock.advance(0);
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 1);
    cleanup.resolve();
    await hub.clock.advance(0);
    const slow = hub.kind.last;
    slow.heedsSignal = false;
    await hub.clock.advance(4_000);
    const again = hub.source.restart();
    await hub.clock.advance(0);
    assert.deepEqual([slow.signal.aborted, hub.kind.attempts.length], [true, 2]);
    slow.fail("gave up at last");
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, 3);
    hub.kind.last.succeed();
    await Promise.all([restarting, again]);
    assert.equal(hub.source.status().state, "ready");
  });

  it("is restarted once more for who sees that the restart itself hangs", async () => {
    const hub = buildSupervised();
    const first = hub.source.restart();
    await hub.clock.advance(3_999);
    const same = hub.source.restart();
    assert.equal(hub.kind.attempts.length, 1);
    const hanging = hub.kind.last;
    await hub.clock.advance(1);
    const again = hub.source.restart();
    await hub.clock.advance(0);
    assert.deepEqual([hanging.signal.aborted, hub.kind.attempts.length], [true, 2]);
    await Promise.all([first, same]);
    assert.equal(await isSettled(hub, again), false);
    const joined = hub.source.restart();
    hub.kind.last.succeed();
    await Promise.all([again, joined]);
    assert.deepEqual([hub.source.status().state, hub.kind.attempts.length], ["ready", 2]);
  });

  it("closes a connection that came in the same moment, and does not use it", async () => {
    const hub = buildSupervised();
    const answer = hub.request("x");
    await hub.clock.advance(0);
    const early = hub.kind.last.succeed();
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    assert.deepEqual([early.closes, early.requests.length], [1, 0]);
    const next = hub.kind.last.succeed();
    await Promise.all([answer, restarting]);
    assert.equal(next.requests.length, 1);
  });

  it("gives one that keeps failing a new chance, at once and with all its tries", async () => {
    const hub = buildSupervised();
    hub.request("x").catch(() => {});
    await hub.fail(5);
    assert.equal(hub.source.status().state, "broken");
    await assert.rejects(hub.request("y"), { code: "SOURCE_UNAVAILABLE" });
    const attempts = hub.kind.attempts.length;
    const restarting = hub.source.restart();
    const answer = hub.request("z");
    await hub.clock.advance(0);
    assert.equal(hub.kind.attempts.length, attempts + 1);
    hub.kind.last.fail("command not found: foo");
    await restarting;
    assert.deepEqual([hub.last().state, hub.last().nextTryMs], ["waiting", 499]);
    await hub.clock.advance(500);
    hub.kind.last.succeed();
    await answer;
    assert.equal(hub.source.status().state, "ready");
    // The probe that was due has been taken back.
    await hub.clock.advance(1_000_000);
    assert.equal(hub.kind.attempts.length, attempts + 2);
  });

  it("takes the place of a try that is due", async () => {
    const hub = buildSupervised();
    const life = await hub.live();
    life.die("exited with code 3");
    await hub.clock.advance(0);
    assert.equal(hub.last().state, "waiting");
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    hub.kind.last.succeed();
    await restarting;
    await hub.clock.advance(1_000_000);
    assert.equal(hub.kind.attempts.length, 2);
  });

  it("tells when it could not be brought up, too, and is tried again", async () => {
    const hub = buildSupervised();
    await hub.live();
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    hub.kind.last.fail("command not found: foo");
    await restarting;
    const { state, lastError } = hub.source.status();
    assert.deepEqual([state, lastError], ["waiting", "command not found: foo"]);
    await hub.clock.advance(500);
    assert.equal(hub.kind.attempts.length, 3);
  });

  it("is closed for good while that is done", async () => {
    const hub = buildSupervised();
    await hub.live();
    const restarting = hub.source.restart();
    await hub.clock.advance(0);
    const closing = hub.source.close();
    await Promise.all([restarting, closing]);
    assert.equal(hub.kind.last.signal.aborted, true);
    assert.equal(hub.source.status().state, "closed");
    await hub.clock.advance(1_000_000);
    assert.equal(hub.kind.attempts.length, 2);
    await assert.rejects(hub.source.restart(), { code: "SOURCE_UNAVAILABLE" });
    await assert.rejects(hub.source.restart(), { code: "SOURCE_UNAVAILABLE" });
  });
});

describe("the revision that a supervised source speaks", () => {
  it("is that of its life, or of its last one", async () => {
    const hub = buildSupervised();
    assert.equal(hub.source.status().revision, undefined);
    const life = await hub.live();
    assert.equal(hub.source.status().revision, undefined);
    Object.assign(life, { face: faceOfInitialize(Payload.ofValue({ protocolVersion: "2025-03-26" })) });
    assert.equal(hub.source.status().revision, "2025-03-26");
    life.die("exited with code 3");
    await hub.clock.advance(0);
    assert.deepEqual([hub.source.status().state, hub.source.status().revision], ["waiting", "2025-03-26"]);
    const tools = hub.source.listTools(never);
    await hub.clock.advance(500);
    const next = hub.kind.last.succeed();
    await tools;
    Object.assign(next, { face: faceOfInitialize(Payload.ofValue({ protocolVersion: "2025-11-25" })) });
    assert.equal(hub.source.status().revision, "2025-11-25");
    const restarting = hub.source.restart();
    assert.equal(hub.source.status().revision, "2025-11-25");
    await hub.clock.advance(0);
    hub.kind.last.succeed();
    await restarting;
  });
});
