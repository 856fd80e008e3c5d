import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LOCAL } from "../../../test/support/open-doors.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { BridgeSessionExpiry, BridgeSessionTable, Store } from "../../store/store.ts";
import { BridgeSessions, type NewSession } from "./sessions.ts";

const ALICE: Principal = { id: "key:alice", kind: "key", name: "alice" };
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A whole second, so that times can be compared as they are shown. */
const START = Date.parse("2030-01-01T12:00:00.000Z");

let store: Store;
let time = START;
let limits = { sessions: 10, sessionIdleMs: HOUR_MS };
let open: BridgeSessions[] = [];
beforeEach(async () => {
  store = await openSqliteStore(":memory:");
  time = START;
  limits = { sessions: 10, sessionIdleMs: HOUR_MS };
  open = [];
});
afterEach(async () => {
  for (const sessions of open) await sessions.close();
  await store.close();
});

describe("a session", () => {
  it("is in the store when it has been opened, and gone when it has been ended", async () => {
    const sessions = await openSessions();
    const { id } = await sessions.begin(LOCAL, wish("mine", { clientId: "n8n" }), 0);
    const [kept] = await store.sessions.list(10);
    assert.deepEqual([kept?.id, kept?.principalId, kept?.clientId], ["mine", "local", "n8n"]);
    await sessions.end(id, LOCAL);
    assert.deepEqual(await store.sessions.list(10), []);
    assert.equal(
      codeOf(() => sessions.enter(id, LOCAL)),
      "UNKNOWN_SESSION",
    );
  });

  it("has an id that nobody guesses where none is chosen", async () => {
    const sessions = await openSessions();
    const ids = await Promise.all([1, 2, 3].map(async () => (await sessions.begin(LOCAL, wish(), 0)).id));
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) assert.match(id, /^[\w-]{32}$/);
  });

  it("slides with every use, and ends when it was not used for so long", async () => {
    const sessions = await openSessions();
    const session = await sessions.begin(LOCAL, wish("mine"), 0);
    assert.equal(session.expiresAt, START + HOUR_MS);
    time += HOUR_MS - 1;
    sessions.leave(sessions.enter("mine", LOCAL));
    assert.equal(session.expiresAt, START + 2 * HOUR_MS, "in whole seconds");
    time = session.expiresAt;
    const { data } = failureOf(() => sessions.enter("mine", LOCAL)).details;
    assert.deepEqual(data, { session_id: "mine", expired_at: "2030-01-01T14:00:00Z" });
  });

  it("does not end in the middle of a request", async () => {
    const sessions = await openSessions();
    const session = await sessions.begin(LOCAL, wish("mine"), 0);
    sessions.enter("mine", LOCAL);
    time += 3 * HOUR_MS;
    assert.equal(sessions.counts().healthy, 1);
    sessions.leave(session);
    assert.equal(session.expiresAt, time + HOUR_MS);
    sessions.enter("mine", LOCAL);
  });

  it("does not come back by a request that was under way when it was ended", async () => {
    const sessions = await openSessions();
    await sessions.begin(LOCAL, wish("mine"), 0);
    const before = sessions.enter("mine", LOCAL);
    await sessions.end("mine", LOCAL);
    sessions.leave(before);
    assert.equal(
      codeOf(() => sessions.enter("mine", LOCAL)),
      "UNKNOWN_SESSION",
    );
    const another = await sessions.begin(ALICE, wish("mine"), 0);
    sessions.leave(before);
    assert.equal(sessions.enter("mine", ALICE), another);
  });

  it("is unknown to every other principal, when it is over too", async () => {
    const sessions = await openSessions();
    await sessions.begin(LOCAL, wish("mine"), 0);
    for (const later of [0, HOUR_MS]) {
      time += later;
      assert.deepEqual(failureOf(() => sessions.enter("mine", ALICE)).details.data, { session_id: "mine" });
    }
    await assert.rejects(sessions.end("mine", ALICE), { code: "UNKNOWN_SESSION" });
  });

  it("is renewed by who has it, and not available to others until it is over", async () => {
    const sessions = await openSessions();
    const session = await sessions.begin(LOCAL, wish("mine"), 0);
    time += MINUTE_MS;
    const renewed = await sessions.begin(LOCAL, wish("mine", { protocolVersion: "2025-11-25" }), 0);
    assert.equal(renewed, session);
    assert.deepEqual([renewed.protocolVersion, renewed.expiresAt], ["2025-11-25", time + HOUR_MS]);
    await assert.rejects(sessions.begin(ALICE, wish("mine"), 0), { text: "bridge.sessionTaken" });
    assert.equal(sessions.counts().total, 1);
    time += HOUR_MS;
    assert.equal((await sessions.begin(ALICE, wish("mine"), 0)).principalId, ALICE.id);
    assert.equal((await store.sessions.list(10))[0]?.principalId, ALICE.id);
  });

  it("that is over does not stand in the way, though the store has it still", async () => {
    const sessions = await openSessions({ deleteExpired: async () => {} });
    await sessions.begin(LOCAL, wish("mine"), 0);
    time += HOUR_MS;
    assert.equal((await sessions.begin(ALICE, wish("mine"), 0)).principalId, ALICE.id);
  });

  it("is not given out where it could not be written", async () => {
    const put = (): Promise<boolean> => Promise.reject(new ZaguanError("INTERNAL"));
    const sessions = await openSessions({ put });
    await assert.rejects(sessions.begin(LOCAL, wish("mine"), 0), { code: "INTERNAL" });
    assert.equal(sessions.counts().total, 0);
    assert.equal(
      codeOf(() => sessions.enter("mine", LOCAL)),
      "UNKNOWN_SESSION",
    );
  });

  it("of another hub on the same store is not available", async () => {
    const [here, there] = [await openSessions(), await openSessions()];
    await here.begin(LOCAL, wish("mine"), 0);
    await assert.rejects(there.begin(ALICE, wish("mine"), 0), { text: "bridge.sessionTaken" });
    assert.equal(there.counts().total, 0);
  });
});

describe("the number of sessions", () => {
  it("is bounded; a refusal says when the next one will be free", async () => {
    const sessions = await openSessions();
    for (let made = 0; made < 8; made++) await sessions.begin(LOCAL, wish(), 0);
    time += 10 * MINUTE_MS;
    for (let made = 0; made < 2; made++) await sessions.begin(ALICE, wish(), 0);
    const { code, details } = await refusalOf(sessions.begin(ALICE, wish(), 7));
    assert.equal(code, "NO_CAPACITY");
    assert.deepEqual(details.data, { queue_size: 7, estimated_wait_ms: 50 * MINUTE_MS });
    assert.equal(details.retryAfterMs, 50 * MINUTE_MS);
  });

  it("is bounded for one principal at four fifths of all, so that others can come", async () => {
    const sessions = await openSessions();
    for (let made = 0; made < 8; made++) await sessions.begin(LOCAL, wish(`own-${made}`), 0);
    await assert.rejects(sessions.begin(LOCAL, wish(), 0), { code: "NO_CAPACITY" });
    await sessions.begin(LOCAL, wish("own-0"), 0);
    await sessions.begin(ALICE, wish(), 0);
    await sessions.end("own-0", LOCAL);
    await sessions.begin(LOCAL, wish(), 0);
  });

  it("of very few may be one principal's alone", async () => {
    limits = { ...limits, sessions: 2 };
    const sessions = await openSessions();
    for (const id of ["a", "b"]) await sessions.begin(LOCAL, wish(id), 0);
    await assert.rejects(sessions.begin(LOCAL, wish("c"), 0), { code: "NO_CAPACITY" });
  });

  it("shrinks by those that are over, in the store too", async () => {
    limits = { ...limits, sessions: 2 };
    const sessions = await openSessions();
    for (const id of ["a", "b"]) await sessions.begin(LOCAL, wish(id), 0);
    time += HOUR_MS;
    await sessions.begin(LOCAL, wish("c"), 0);
    assert.deepEqual(await storedIds(), ["c"]);
  });

  it("is told by what they are doing", async () => {
    const sessions = await openSessions();
    await sessions.begin(LOCAL, wish("a"), 0);
    time += 6 * MINUTE_MS;
    await sessions.begin(ALICE, wish("b"), 0);
    assert.deepEqual(sessions.counts(), { total: 2, available: 8, healthy: 1, idle: 1, reconnecting: 0 });
    time += HOUR_MS;
    assert.deepEqual(sessions.counts(), { total: 0, available: 10, healthy: 0, idle: 0, reconnecting: 0 });
  });
});

describe("a restart", () => {
  it("takes no session from anybody: it is reconnecting until it is seen again", async () => {
    const before = await openSessions();
    await before.begin(LOCAL, wish("mine"), 0);
    time += 30 * MINUTE_MS;
    before.leave(before.enter("mine", LOCAL));
    await before.close();
    time += 59 * MINUTE_MS;
    const after = await openSessions();
    assert.deepEqual(after.counts(), { total: 1, available: 9, healthy: 0, idle: 0, reconnecting: 1 });
    assert.equal(
      codeOf(() => after.enter("mine", ALICE)),
      "UNKNOWN_SESSION",
    );
    after.leave(after.enter("mine", LOCAL));
    assert.deepEqual(after.counts(), { total: 1, available: 9, healthy: 1, idle: 0, reconnecting: 0 });
  });

  it("keeps to the end that was told, and still knows it of those that are over", async () => {
    const before = await openSessions();
    await before.begin(LOCAL, wish("mine"), 0);
    await before.close();
    time += HOUR_MS;
    const after = await openSessions();
    assert.equal(after.counts().total, 0);
    const { data } = failureOf(() => after.enter("mine", LOCAL)).details;
    assert.deepEqual(data, { session_id: "mine", expired_at: "2030-01-01T13:00:00Z" });
    assert.deepEqual(await storedIds(), []);
  });

  it("after a crash breaks no promise, though sliding was not written yet", async () => {
    const crashed = await openSessions();
    await crashed.begin(LOCAL, wish("mine"), 0);
    time += MINUTE_MS;
    const { expiresAt } = crashed.enter("mine", LOCAL);
    time = expiresAt - 1;
    const after = await openSessions();
    after.enter("mine", LOCAL);
  });
});

describe("writing", () => {
  it("how a session slides waits for its turn, and then is one write for all of them", async () => {
    limits = { ...limits, sessionIdleMs: 10_000 };
    const slid: (readonly BridgeSessionExpiry[])[] = [];
    const slide = async (expiries: readonly BridgeSessionExpiry[]): Promise<void> => void slid.push(expiries);
    const sessions = await openSessions({ slide });
    for (const id of ["a", "b", "unused"]) await sessions.begin(LOCAL, wish(id), 0);
    time += 1_000;
    for (const id of ["a", "b", "a", "b"]) sessions.leave(sessions.enter(id, LOCAL));
    assert.deepEqual(slid, []);
    for (let waited = 0; slid.length === 0 && waited < 15_000; waited += 10) await sleep(10);
    const [first = []] = [...slid];
    assert.deepEqual(first.map(({ id }) => id).sort(), ["a", "b"]);
  });

  it("of many leaves others their turn", async () => {
    limits = { ...limits, sessions: 2_000 };
    const sizes: number[] = [];
    const slide = async (expiries: readonly BridgeSessionExpiry[]): Promise<void> => void sizes.push(expiries.length);
    const sessions = await openSessions({ slide });
    for (let made = 0; made < 1_200; made++) await sessions.begin(LOCAL, wish(), 0);
    await sessions.close();
    assert.deepEqual(sizes, [500, 500, 200]);
  });
});

describe("sessions that several nodes share", () => {
  it("are known to the others, with the end that their last use gave them", async () => {
    const [one, other] = [await openShared(), await openShared()];
    await one.begin(LOCAL, wish("ours"), 0);
    await other.catchUp("ours");
    other.leave(other.enter("ours", LOCAL));
    assert.equal(other.counts().total, 1);
  });

  it("are over for all of them a moment after one has ended them", async () => {
    const [one, other] = [await openShared(), await openShared()];
    await one.begin(LOCAL, wish("ours"), 0);
    await other.catchUp("ours");
    await one.end("ours", LOCAL);
    time += 1_000;
    await other.catchUp("ours");
    assert.throws(() => other.enter("ours", LOCAL));
  });

  it("go on from memory while the store is away, and are not found where they were not known", async () => {
    let isAway = false;
    const get: BridgeSessionTable["get"] = (id) =>
      isAway ? Promise.reject(new Error("away")) : store.sessions.get(id);
    const [one, other] = [await openShared({ get }), await openShared({ get })];
    await one.begin(LOCAL, wish("ours"), 0);
    isAway = true;
    time += 1_000;
    await one.catchUp("ours");
    one.leave(one.enter("ours", LOCAL));
    await assert.rejects(other.catchUp("ours"));
  });

  it("of another principal are not taken at another node either", async () => {
    const [one, other] = [await openShared(), await openShared()];
    await one.begin(LOCAL, wish("ours"), 0);
    await assert.rejects(other.begin({ ...LOCAL, id: "key:9" }, wish("ours"), 0));
  });
});

function openShared(changed: Partial<BridgeSessionTable> = {}): Promise<BridgeSessions> {
  return openSessions(changed, true);
}

/** @param changed what its table does differently */
async function openSessions(changed: Partial<BridgeSessionTable> = {}, isShared = false): Promise<BridgeSessions> {
  const kept = store.sessions;
  const table: BridgeSessionTable = {
    list: (most) => kept.list(most),
    get: (id) => kept.get(id),
    put: (session, freeUtc) => kept.put(session, freeUtc),
    slide: (expiries) => kept.slide(expiries),
    delete: (id) => kept.delete(id),
    deleteExpired: (utc, ids) => kept.deleteExpired(utc, ids),
    ...changed,
  };
  const report = (cause: unknown): never => assert.fail(String(cause));
  const sessions = await BridgeSessions.open({ table, limits: () => limits, now: () => time, report, isShared });
  open.push(sessions);
  return sessions;
}

function wish(sessionId?: string, more: Partial<NewSession> = {}): NewSession {
  return { protocolVersion: "2024-11-05", sessionId, clientId: undefined, ...more };
}

function failureOf(work: () => unknown): ZaguanError {
  try {
    work();
  } catch (cause) {
    return cause as ZaguanError;
  }
  return assert.fail("it did not fail");
}

async function refusalOf(promise: Promise<unknown>): Promise<ZaguanError> {
  return promise.then(
    () => assert.fail("it did not fail"),
    (cause) => cause as ZaguanError,
  );
}

function codeOf(work: () => unknown): string {
  return failureOf(work).code;
}

async function storedIds(): Promise<string[]> {
  return (await store.sessions.list(10)).map(({ id }) => id);
}
