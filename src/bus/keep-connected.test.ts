/** A connection that is kept alive: what is told when it ends, and that it comes again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../test/support/processes.ts";
import { type Ended, KeptConnection } from "./keep-connected.ts";

interface Fake {
  readonly ended: Ended;
  isClosed: boolean;
  close(): Promise<void>;
}

/** Connections that can be refused, and a list of the states that were told. */
function setUp() {
  const made: Fake[] = [];
  const told: string[] = [];
  const world = { refusal: undefined as string | undefined, dials: 0 };
  const kept = new KeptConnection<Fake>(
    async (ended) => {
      world.dials++;
      if (world.refusal !== undefined) throw new Error(world.refusal);
      const fake = {
        ended,
        isClosed: false,
        close: async () => {
          fake.isClosed = true;
        },
      };
      made.push(fake);
      return fake;
    },
    () => told.push([kept.state.link, kept.state.reason].filter(Boolean).join(": ")),
  );
  return { kept, made, told, world };
}

describe("a kept connection", () => {
  it("that cannot be made at first is refused", async () => {
    const { kept, world } = setUp();
    world.refusal = "nothing there";
    await assert.rejects(kept.open(), /nothing there/);
    assert.equal(kept.current, undefined);
  });

  it("is made again when it ends, and each change is told once", async () => {
    const { kept, made, told, world } = setUp();
    await kept.open();
    world.refusal = "nothing there";
    made[0]?.ended.onEnd("it broke");
    assert.equal(kept.current, undefined);
    await until("it was tried three times", () => world.dials >= 4);
    world.refusal = undefined;
    await until("it is back", () => made[1] !== undefined && kept.current === made[1]);
    await kept.close();
    assert.deepEqual(told, ["connected", "away: it broke", "away: nothing there", "connected", "closed"]);
    assert.ok(made[1]?.isClosed);
  });

  it("that ends in the moment it is made is made again", async () => {
    const { kept, made } = setUp();
    const opening = kept.open();
    made[0]?.ended.onEnd("at once");
    await assert.rejects(opening, /at once/);
    assert.equal(kept.current, undefined);
  });

  it("says what is wrong although it stands", async () => {
    const { kept } = setUp();
    await kept.open();
    kept.complain("a subject is not allowed");
    assert.deepEqual(kept.state, { link: "connected", reason: "a subject is not allowed" });
    await kept.close();
  });

  it("is not made again once it is closed", async () => {
    const { kept, made, world } = setUp();
    await kept.open();
    made[0]?.ended.onEnd("it broke");
    await kept.close();
    await kept.close();
    assert.deepEqual([kept.state.link, world.dials], ["closed", 1]);
  });
});
