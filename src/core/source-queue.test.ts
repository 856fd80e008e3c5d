/** Whom a queue refuses: who would wait in vain, who floods, and everybody while the source is silent. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ALICE, BOB, makeCall, makeContext, makeSource, makeTool, watch } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Call, Principal } from "./call.ts";
import { SourceQueue } from "./source-queue.ts";

describe("the queue of a source", () => {
  it("lets a burst wait, however long, and holds a flood to what is soon served", async () => {
    const { enter, finishOne, clock } = await warm({ concurrency: 4, queueBurst: 10 }, 10_000);
    const patient = { deadlineAt: 1_000_000 };
    const burst = times(14, () => enter(patient));
    const late = enter(patient);
    await turn();
    assert.deepEqual(count(burst, "pending"), 14);
    assert.equal(codeOf(late), "NO_CAPACITY");
    // The ten that waited are served or run: none is left, and one may wait.
    for (let n = 0; n < 10; n++) {
      await clock.advance(100);
      await finishOne();
    }
    const next = enter(patient);
    const another = enter(patient);
    await turn();
    assert.deepEqual([next.state, codeOf(another)], ["pending", "NO_CAPACITY"]);
  });

  it("tells a newcomer how long to wait from the moment on when every place is taken", async () => {
    const { enter, queue } = await warm({ concurrency: 2 });
    const waits = [queue.waitMs];
    for (let n = 0; n < 4; n++) {
      enter();
      waits.push(queue.waitMs);
    }
    assert.deepEqual(waits, [0, 0, 250, 500, 750]);
  });

  it("takes nobody for a flood while everybody is soon served", async () => {
    const { enter, finishOne, clock } = open({ concurrency: 4, queueBurst: 10 });
    enter();
    await clock.advance(1);
    await finishOne();
    const crowd = times(150, () => enter());
    await turn();
    assert.equal(count(crowd, "pending"), 150);
  });

  it("lets bursts in again once the flood is over", async () => {
    const { enter, finishOne, clock } = await warm({ concurrency: 1, queueBurst: 3 });
    times(5, () => enter());
    await clock.advance(500);
    for (let n = 0; n < 4; n++) await finishOne();
    const early = times(3, () => enter());
    await turn();
    assert.equal(count(early, "pending"), 2, "one runs, one may wait");
    for (let n = 0; n < 2; n++) await finishOne();
    await clock.advance(3_000);
    const burst = times(3, () => enter());
    await turn();
    assert.equal(count(burst, "pending"), 3);
  });

  it("holds the one who floods, and nobody else", async () => {
    const { enter } = await warm({ concurrency: 1, queueBurst: 3 });
    times(5, () => enter({ principal: ALICE, priority: "HIGH" }));
    const others = [enter({ principal: BOB, priority: "HIGH" }), enter({ principal: ALICE, priority: "BULK" })];
    await turn();
    assert.equal(count(others, "pending"), 2);
  });

  it("holds the one who floods as several agents", async () => {
    const { enter } = await warm({ concurrency: 1, queueBurst: 3 });
    const acting: Principal = { id: "agent:ana", kind: "agent", name: "ana", account: ALICE.id };
    times(5, () => enter({ principal: acting }));
    const next = enter({ principal: { ...acting, id: "agent:bea" } });
    const other = enter({ principal: { ...acting, account: BOB.id } });
    await turn();
    assert.deepEqual([codeOf(next), other.state], ["NO_CAPACITY", "pending"]);
  });

  it("refuses at once who could not be reached in time, and says when to come again", async () => {
    const { enter, finishOne, clock } = open({ concurrency: 1 });
    enter();
    await clock.advance(2_000);
    await finishOne();
    enter();
    times(3, () => enter({ deadlineAt: clock.now() + 60_000 }));
    const hasty = enter({ deadlineAt: clock.now() + 3_000 });
    await turn();
    assert.equal(codeOf(hasty), "NO_CAPACITY");
    assert.ok(((hasty.error as ZaguanError).details.retryAfterMs ?? 0) >= 6_000);
  });

  it("refuses everybody, those who wait too, when the source stopped answering; and takes calls when it answers", async () => {
    const world = open({ concurrency: 5 });
    const { enter, finishOne, clock, events } = world;
    times(5, () => enter());
    const waiting = times(7, () => enter({ deadlineAt: clock.now() + 100_000 }));
    world.answers = false;
    await clock.advance(1_000);
    for (let n = 0; n < 5; n++) await finishOne(late());
    await clock.advance(5_000);
    const refused = enter();
    await turn();
    assert.deepEqual(waiting.map(codeOf).slice(5), ["SOURCE_UNAVAILABLE", "SOURCE_UNAVAILABLE"]);
    assert.equal(codeOf(refused), "SOURCE_UNAVAILABLE");
    assert.equal((refused.error as ZaguanError).delivery, "not_sent");
    world.answers = true;
    await clock.advance(10_000);
    const welcome = enter();
    await turn();
    assert.equal(welcome.state, "pending");
    assert.deepEqual(
      events.filter(({ type }) => type === "source-silent").map((event) => "isSilent" in event && event.isSilent),
      [true, false],
    );
  });

  it("does not take quick failures for silence: they hold nobody up", async () => {
    const world = open({ concurrency: 1 });
    world.answers = false;
    for (let n = 0; n < 20; n++) {
      world.enter();
      await world.clock.advance(1_000);
      await world.finishOne(makeError("SOURCE_UNAVAILABLE"));
    }
    const next = world.enter();
    await turn();
    assert.equal(next.state, "pending");
  });
});

/** With a source of which it is known how long a call takes. */
async function warm(options: Parameters<typeof open>[0], ms = 500): Promise<ReturnType<typeof open>> {
  const world = open(options);
  world.enter();
  await world.clock.advance(ms);
  await world.finishOne();
  return world;
}

interface Seen {
  readonly state: string;
  readonly error?: unknown;
}

function open({ concurrency = 1, queueBurst = 100 } = {}) {
  const world = { answers: true };
  const listTools = async (): Promise<[]> => {
    if (!world.answers) throw makeError("SOURCE_UNAVAILABLE");
    return [];
  };
  const source = makeSource("house", { concurrency, listTools });
  const context = makeContext({ limits: () => ({ ...DEFAULT_LIMITS, queueBurst }) });
  const queue = new SourceQueue(context, source);
  const running: PromiseWithResolvers<Payload>[] = [];
  const next = (): Promise<Payload> => {
    const end = Promise.withResolvers<Payload>();
    running.push(end);
    return end.promise;
  };
  const deadlineAt = 30_000;
  const enter = (call: Partial<Call> = {}) =>
    watch(queue.take(makeCall({ tool: makeTool("x"), startedAt: context.clock.now(), deadlineAt, ...call }), next));
  const finishOne = async (error?: ZaguanError): Promise<void> => {
    const end = running.shift();
    if (error) end?.reject(error);
    else end?.resolve(Payload.ofText("{}"));
    await turn();
  };
  return Object.assign(world, { enter, queue, finishOne, clock: context.clock, events: context.events });
}

function late(): ZaguanError {
  return makeError("DEADLINE_EXCEEDED", { delivery: "unknown" });
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

function count(seen: readonly Seen[], state: string): number {
  return seen.filter((each) => each.state === state).length;
}

function codeOf({ error }: Seen): string | undefined {
  return error instanceof ZaguanError ? error.code : undefined;
}
