import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { ALICE, BOB } from "../../../test/support/make-call.ts";
import { randomToken } from "../../compose/system.ts";
import { localForDoors } from "../../core/shared/for-doors.ts";
import { ZaguanError } from "../../errors.ts";
import type { HandshakeCodec } from "./handshake-codec.ts";
import { Sessions } from "./sessions.ts";

const MINUTE = 60_000;
const VERSION = "2025-11-25";

describe("sessions", () => {
  let sessions: Sessions;
  let limit: number;
  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval", "Date"] });
    limit = 3;
    const limits = () => ({ depth: 64, elements: 10_000, sessions: limit, sessionIdleMs: 60 * MINUTE });
    sessions = new Sessions("mcp", limits, localForDoors(randomToken));
  });
  afterEach(() => {
    sessions.close();
    mock.timers.reset();
  });

  it("have ids of 192 random bits in visible characters", () => {
    const ids = Array.from({ length: 3 }, () => sessions.open(ALICE, codec().fake, VERSION).id);
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) assert.match(id, /^[\w-]{32}$/);
  });

  it("belong to who opened them: to others they are as unknown as one that never was", () => {
    const { id } = sessions.open(ALICE, codec().fake, VERSION);
    assert.equal(sessions.find(id, ALICE).id, id);
    const tellings = [
      [id, BOB],
      ["never", BOB],
      ["never", ALICE],
      ["", ALICE],
    ] as const;
    for (const [asked, principal] of tellings) {
      assert.throws(() => sessions.find(asked, principal), unknownSession, asked);
    }
    assert.equal(sessions.size, 1);
  });

  it("end once and for all, with what still runs and the stream", () => {
    const { fake, ended } = codec();
    const { response } = connection();
    const session = sessions.open(ALICE, fake, VERSION);
    session.streams.listen(response);
    sessions.end(session);
    assert.deepEqual([ended(), response.writableEnded], [1, true]);
    assert.throws(() => sessions.find(session.id, ALICE), unknownSession);
  });

  it("hear no more once they are over, or we are", () => {
    const [one, two] = [codec(), codec()];
    const session = sessions.open(ALICE, one.fake, VERSION);
    sessions.open(BOB, two.fake, VERSION);
    sessions.end(session);
    assert.deepEqual([one.ended(), two.ended(), two.stopped()], [1, 0, 0]);
    sessions.close();
    assert.deepEqual([two.ended(), two.stopped()], [0, 1]);
  });

  it("are bounded: one more is refused with how many there are and when to come back", () => {
    for (let n = 0; n < 3; n++) sessions.find(sessions.open(ALICE, codec().fake, VERSION).id, ALICE);
    assert.throws(
      () => sessions.open(BOB, codec().fake, VERSION),
      (error) => {
        assert.ok(error instanceof ZaguanError);
        assert.equal(error.code, "NO_CAPACITY");
        assert.deepEqual(error.details.data, { queue_size: 3, estimated_wait_ms: 30_000 });
        assert.ok((error.details.retryAfterMs ?? 0) > 0);
        return true;
      },
    );
  });

  it("that nobody came back to give way to others of the same principal, and to nobody else's", () => {
    const [alices, bobs] = [codec(), codec()];
    sessions.open(ALICE, alices.fake, VERSION);
    for (let n = 0; n < 2; n++) sessions.open(BOB, bobs.fake, VERSION);
    sessions.open(BOB, codec().fake, VERSION);
    assert.deepEqual([sessions.size, alices.ended(), bobs.ended()], [3, 0, 1]);
    assert.throws(() => sessions.open({ ...ALICE, id: "key:carol" }, codec().fake, VERSION), noCapacity);
    assert.deepEqual([sessions.size, alices.ended(), bobs.ended()], [3, 0, 1]);
  });

  it("leave room for others: one principal has no more than four fifths of them", () => {
    limit = 5;
    for (let n = 0; n < 4; n++) sessions.find(sessions.open(ALICE, codec().fake, VERSION).id, ALICE);
    assert.throws(() => sessions.open(ALICE, codec().fake, VERSION), noCapacity);
    const { id } = sessions.open(BOB, codec().fake, VERSION);
    sessions.end(sessions.find(id, BOB));
    assert.throws(() => sessions.open(ALICE, codec().fake, VERSION), noCapacity);
    assert.equal(sessions.size, 4);
  });

  it("of agents that one principal acts as are that principal's together, and each is still its agent's alone", () => {
    limit = 5;
    const agents = ["agent:ana", "agent:bea"].map((id) => ({ ...ALICE, id, account: ALICE.id }));
    for (const agent of [...agents, ...agents]) {
      const { id } = sessions.open(agent, codec().fake, VERSION);
      assert.throws(() => sessions.find(id, ALICE), { code: "UNKNOWN_SESSION" });
      sessions.find(id, agent);
    }
    for (const one of [ALICE, ...agents]) assert.throws(() => sessions.open(one, codec().fake, VERSION), noCapacity);
    sessions.open(BOB, codec().fake, VERSION);
  });

  it("that nobody came back to do not stay long", () => {
    const { fake, ended } = codec();
    sessions.open(ALICE, fake, VERSION);
    mock.timers.tick(MINUTE / 2);
    assert.equal(sessions.size, 1);
    mock.timers.tick(2 * MINUTE);
    assert.deepEqual([sessions.size, ended()], [0, 1]);
  });

  it("that are used stay; that idle end", () => {
    const { id } = sessions.open(ALICE, codec().fake, VERSION);
    for (let n = 0; n < 5; n++) {
      sessions.find(id, ALICE);
      mock.timers.tick(50 * MINUTE);
    }
    assert.equal(sessions.size, 1);
    mock.timers.tick(11 * MINUTE);
    assert.equal(sessions.size, 0);
  });

  it("that listen are not idle", () => {
    sessions.open(ALICE, codec().fake, VERSION).streams.listen(connection().response);
    mock.timers.tick(600 * MINUTE);
    assert.equal(sessions.size, 1);
  });

  it("make room as soon as one has expired, without waiting for the sweep", () => {
    for (let n = 0; n < 3; n++) sessions.open(ALICE, codec().fake, VERSION);
    mock.timers.setTime(Date.now() + 6 * MINUTE);
    sessions.open(BOB, codec().fake, VERSION);
    assert.equal(sessions.size, 1);
  });
});

function codec() {
  let ended = 0;
  let stopped = 0;
  const fake = { end: () => ended++, stopWatching: () => stopped++ } as unknown as HandshakeCodec;
  return { fake, ended: () => ended, stopped: () => stopped };
}

/** An answer that goes nowhere. */
function connection() {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  let text = "";
  response.write = (chunk: string) => {
    text += chunk;
    return true;
  };
  return { response, written: () => text };
}

function noCapacity(error: unknown): boolean {
  return error instanceof ZaguanError && error.code === "NO_CAPACITY";
}

function unknownSession(error: unknown): boolean {
  assert.ok(error instanceof ZaguanError);
  assert.equal(error.code, "UNKNOWN_SESSION");
  assert.deepEqual(error.details, { data: { suggestion: "initialize" } });
  return true;
}
