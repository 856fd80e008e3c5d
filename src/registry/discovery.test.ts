import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { found } from "../../test/support/registry-ports.ts";
import { ZaguanError } from "../errors.ts";
import { type CancelSignal, LightAbort } from "../light-abort.ts";
import { type Discovered, discover } from "./discovery.ts";
import type { OnStep, Probed, Prober } from "./ports.ts";

const LIMIT_MS = 30_000;

/** A discovery of a server that answers its attempts as it is told, in their order. */
function discovering(...answers: ((onStep: OnStep, clock: FakeClock) => Promise<Probed>)[]) {
  const clock = new FakeClock();
  const attemptedAt: number[] = [];
  let told: Discovered | undefined;
  const probe = async (_name: string, _server: unknown, _signal: unknown, onStep: OnStep): Promise<Probed> => {
    const answer = answers[attemptedAt.push(clock.now()) - 1];
    assert.ok(answer, "it was asked once more than it should be");
    return await answer(onStep, clock);
  };
  const ports = { clock, random: () => 0.5, prober: { probe } };
  const done = discover(ports, "lamps", undefined, LIMIT_MS).then((result) => {
    told = result;
  });
  return { clock, attemptedAt, done, told: () => told };
}

const succeed = async (onStep: OnStep): Promise<Probed> => {
  onStep("bare JSON-RPC", "connected");
  return found("on");
};

function fail(error: Error = unavailable("HTTP 500")): (onStep: OnStep) => Promise<Probed> {
  return async (onStep) => {
    onStep("Streamable HTTP", "HTTP 500");
    throw error;
  };
}

function unavailable(reason: string, cause?: unknown): ZaguanError {
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source: "lamps", reason }, cause });
}

describe("looking for a server's tools", () => {
  it("is over with the first answer", async () => {
    const { done, told, clock } = discovering(succeed);
    await done;
    assert.deepEqual(
      told()?.found?.tools.map(({ name }) => name),
      ["on"],
    );
    assert.deepEqual(told()?.steps, [{ attempt: 1, atMs: 0, transport: "bare JSON-RPC", outcome: "connected" }]);
    assert.equal(clock.pending, 0, "a timer was left behind");
  });

  it("is tried three times, with longer and longer pauses, and then given up with its last reason", async () => {
    const last = unavailable("the last reason");
    const { done, told, clock, attemptedAt } = discovering(fail(), fail(), fail(last));
    await clock.advance(400 + 800);
    await done;
    assert.deepEqual(attemptedAt, [0, 400, 1_200]);
    assert.equal(told()?.error, last);
    assert.deepEqual(
      told()?.steps.map(({ attempt, atMs }) => [attempt, atMs]),
      [
        [1, 0],
        [2, 400],
        [3, 1_200],
      ],
    );
    assert.equal(clock.pending, 0, "a timer was left behind");
  });

  it("succeeds if a later attempt does", async () => {
    const { done, told, clock } = discovering(fail(), fail(), succeed);
    await clock.advance(5_000);
    await done;
    assert.equal(told()?.error, undefined);
    assert.equal(told()?.found?.tools.length, 1);
    assert.equal(told()?.ms, 1_200);
  });

  for (const [what, error] of [
    ["a forbidden address", new ZaguanError("FORBIDDEN_ADDRESS", { params: { address: "10.0.0.1" } })],
    ["refused credentials", unavailable("refused", Object.assign(new Error("401"), { status: 401 }))],
    ["a forbidden place", unavailable("refused", Object.assign(new Error("403"), { status: 403 }))],
  ] as const) {
    it(`is not tried again after ${what}: it would be the same`, async () => {
      const { done, told, attemptedAt } = discovering(fail(error));
      await done;
      assert.equal(told()?.error, error);
      assert.equal(attemptedAt.length, 1);
    });
  }

  it("is given up at the limit, even if the server does not heed that nobody waits any more", async () => {
    const { done, told, clock } = discovering(() => new Promise(() => {}));
    await clock.advance(LIMIT_MS - 1);
    assert.equal(told(), undefined);
    await clock.advance(1);
    await done;
    assert.equal(told()?.error?.code, "SOURCE_UNAVAILABLE");
    assert.match(String(told()?.error?.details.params?.["reason"]), /did not answer within 30 s/);
    assert.deepEqual(told()?.steps, [
      { attempt: 1, atMs: LIMIT_MS, transport: "discovery", outcome: "given up after 30 s" },
    ]);
  });

  it("has one limit for all attempts and pauses together", async () => {
    const slowly = (_onStep: OnStep, clock: FakeClock): Promise<Probed> =>
      new Promise((_, reject) => clock.after(14_900, () => reject(unavailable("slow"))));
    const run = discovering(slowly, slowly);
    await run.clock.advance(LIMIT_MS);
    await run.done;
    assert.deepEqual(run.attemptedAt, [0, 15_300]);
    assert.match(String(run.told()?.error?.details.params?.["reason"]), /within 30 s/);
  });

  it("does not change its story when a late step comes in", async () => {
    let late: OnStep = () => {};
    const { done, told, clock } = discovering((onStep) => {
      late = onStep;
      return new Promise(() => {});
    });
    await clock.advance(LIMIT_MS);
    await done;
    late("WebSocket", "connected at last");
    assert.equal(told()?.steps.length, 1);
  });

  it("ends when nobody waits for it any more, while it asks or pauses", async () => {
    const [hangs, fails] = [() => new Promise<Probed>(() => {}), fail()];
    for (const answer of [hangs, fails]) {
      const left = new LightAbort();
      const clock = new FakeClock();
      const asked: CancelSignal[] = [];
      const probe: Prober["probe"] = (_name, _server, signal, onStep) => {
        asked.push(signal);
        return answer(onStep);
      };
      const done = discover({ clock, random: () => 0.5, prober: { probe } }, "lamps", undefined, LIMIT_MS, { left });
      await clock.advance(100);
      left.abort();
      const { error, steps } = await done;
      assert.deepEqual([error?.code, steps.at(-1)?.outcome, asked.length], ["CANCELLED", "nobody waits", 1]);
      assert.equal(asked[0]?.aborted, true);
      await clock.advance(LIMIT_MS);
      assert.deepEqual([asked.length, clock.pending], [1, 0]);
    }
  });

  it("asks nothing for who has left already", async () => {
    const left = new LightAbort();
    left.abort();
    const probe = (): Promise<Probed> => assert.fail("it was asked");
    const ports = { clock: new FakeClock(), random: () => 0.5, prober: { probe } };
    assert.equal((await discover(ports, "lamps", undefined, LIMIT_MS, { left })).error?.code, "CANCELLED");
  });

  it("takes what is no failure of ours for an internal one", async () => {
    const { done, told, clock } = discovering(fail(new Error("x")), fail(new Error("x")), fail(new Error("x")));
    await clock.advance(5_000);
    await done;
    assert.equal(told()?.error?.code, "INTERNAL");
  });
});
