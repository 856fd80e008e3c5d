/** What is sealed by one node and opened by another, and everything that is refused in between. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import type { Sender } from "./bus.ts";
import { ClusterSecret } from "./cluster-secret.ts";
import { nonceOf, OVERHEAD_BYTES, readHeader, writeHeader } from "./envelope.ts";
import { Opener, type Refusal } from "./open.ts";
import { Sealer } from "./seal.ts";

const SECRET = new ClusterSecret("Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA");
const OTHER = new ClusterSecret("b7d2f0c94e8a1635720fd9ce48ab136c5e02f7d8");
const PREFIX = "home";
const OURS = "home.n.attic";

/** Two clocks that tests set: the time of day, and how long the process runs. */
class Clock {
  day = 1_800_000_000_000;
  run = 1_000_000;

  timeOfDay(): number {
    return this.day;
  }

  uptime(): number {
    return this.run;
  }

  pass(ms: number): void {
    this.day += ms;
    this.run += ms;
  }
}

function life(node: string): Sender {
  return { node, boot: randomBytes(16).toString("base64url") };
}

interface Pair {
  readonly clock: Clock;
  readonly us: Sender;
  readonly them: Sender;
  readonly sealer: Sealer;
  readonly opener: Opener;
  readonly twins: string[];
}

function pair(from: Sender = life("garage"), secrets: readonly ClusterSecret[] = [SECRET]): Pair {
  const clock = new Clock();
  const us = life("attic");
  const twins: string[] = [];
  const opener = new Opener({ secrets, prefix: PREFIX, us, onTwin: (boot) => twins.push(boot), clock });
  clock.pass(60_000);
  return { clock, us, them: from, sealer: new Sealer(SECRET, PREFIX, from, () => clock.day), opener, twins };
}

function textOf(opened: ReturnType<Opener["open"]>): string {
  return typeof opened === "string" ? `refused: ${opened}` : opened.content.toString();
}

describe("a sealed message", () => {
  it("is opened by its receiver, who learns which life of which node sealed it", () => {
    const { sealer, opener, them } = pair();
    const opened = opener.open(sealer.seal(sealer.take(), Buffer.from("hello"), OURS, ""), OURS);
    assert.ok(typeof opened !== "string");
    assert.deepEqual([opened.from, opened.content.toString()], [them, "hello"]);
  });

  it("comes back as it was, whatever it holds", () => {
    const { sealer, opener } = pair();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const sealed = sealer.seal(sealer.take(), Buffer.from(bytes), OURS, "");
        assert.ok(sealed.length <= bytes.length + OVERHEAD_BYTES);
        const opened = opener.open(sealed, OURS);
        assert.ok(typeof opened !== "string" && opened.content.equals(bytes));
      }),
    );
  });

  it("shows nothing of what it holds, and never looks the same", () => {
    const { sealer } = pair();
    const canary = "canary-7f3a9c-canary-7f3a9c";
    const all = Array.from({ length: 50 }, () =>
      sealer.seal(sealer.take(), Buffer.from(canary), OURS, "").toString("latin1"),
    );
    assert.equal(all.filter((text) => text.includes(canary.slice(0, 8))).length, 0);
    assert.equal(new Set(all.map((text) => text.slice(-40))).size, 50);
  });

  it("never uses a nonce twice in a life, and no life shares its key with another", () => {
    const { sealer, them } = pair();
    const counters = Array.from({ length: 500 }, (_, index) => {
      if (index % 7 === 0) sealer.take();
      return readHeader(sealer.seal(sealer.take(), Buffer.from("x"), OURS, ""))?.header.counter ?? 0;
    });
    assert.equal(new Set(counters.map((counter) => nonceOf(counter).toString("hex"))).size, 500);
    const again = life(them.node);
    const [one, other] = [them, again].map(({ node, boot }) => SECRET.keyOf(PREFIX, node, boot).export());
    assert.ok(one && other && !one.equals(other));
  });
});

describe("a message is refused", () => {
  const refused = (opened: ReturnType<Opener["open"]>, expected: Refusal): void => assert.equal(opened, expected);

  it("if any bit of it was changed", () => {
    const { sealer, opener } = pair();
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 7 }), (place, bit) => {
        const sealed = sealer.seal(sealer.take(), Buffer.from("open the door"), OURS, "");
        const at = place % sealed.length;
        sealed[at] = (sealed[at] ?? 0) ^ (1 << bit);
        assert.equal(typeof opener.open(sealed, OURS), "string", `byte ${at}`);
      }),
      { numRuns: 500 },
    );
  });

  it("if it is cut, longer, or anything else", () => {
    const { sealer, opener } = pair();
    const sealed = sealer.seal(sealer.take(), Buffer.from("hello"), OURS, "");
    for (let length = 0; length < sealed.length; length++) {
      assert.equal(typeof opener.open(sealed.subarray(0, length), OURS), "string", `${length} bytes`);
    }
    refused(opener.open(Buffer.concat([sealed, Buffer.from([0])]), OURS), "forged");
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => typeof opener.open(bytes, OURS) === "string"));
  });

  it("on any subject but its own", () => {
    const { sealer, opener } = pair();
    for (const subject of ["home.all", "home.n.cellar", "other.n.attic"]) {
      refused(opener.open(sealer.seal(sealer.take(), Buffer.from("x"), subject, ""), OURS), "forged");
      refused(opener.open(sealer.seal(sealer.take(), Buffer.from("x"), OURS, ""), subject), "forged");
    }
  });

  it("the second time, and its first time is not spoilt by forged ones", () => {
    const { sealer, opener } = pair();
    const sealed = sealer.seal(sealer.take(), Buffer.from("once"), OURS, "");
    const forged = Buffer.from(sealed);
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    refused(opener.open(forged, OURS), "forged");
    assert.equal(textOf(opener.open(sealed, OURS)), "once");
    refused(opener.open(sealed, OURS), "replayed");
  });

  it("of another secret, and not of the previous one while both are configured", () => {
    const other = pair(life("garage"), [OTHER]);
    refused(other.opener.open(other.sealer.seal(other.sealer.take(), Buffer.from("x"), OURS, ""), OURS), "otherKey");
    const both = pair(life("garage"), [OTHER, SECRET]);
    assert.equal(textOf(both.opener.open(both.sealer.seal(both.sealer.take(), Buffer.from("x"), OURS, ""), OURS)), "x");
  });

  it("for an earlier life of ours", () => {
    const { sealer, opener, us } = pair();
    refused(opener.open(sealer.seal(sealer.take(), Buffer.from("x"), OURS, life("attic").boot), OURS), "otherLife");
    assert.equal(textOf(opener.open(sealer.seal(sealer.take(), Buffer.from("x"), OURS, us.boot), OURS)), "x");
  });

  it("of a clock more than half a minute from ours", () => {
    for (const [ms, isFine] of [
      [-30_000, true],
      [-30_001, false],
      [30_000, true],
      [30_001, false],
    ] as const) {
      const { sealer, opener, clock } = pair();
      const sealed = sealer.seal(sealer.take(), Buffer.from("x"), OURS, "");
      clock.day -= ms;
      assert.equal(textOf(opener.open(sealed, OURS)), isFine ? "x" : "refused: clock", `${ms}`);
    }
  });

  it("from before we started, when we remember nothing of what came", () => {
    const { sealer, clock } = pair();
    const sealed = sealer.seal(sealer.take(), Buffer.from("x"), OURS, "");
    clock.pass(3_000);
    const opener = new Opener({ secrets: [SECRET], prefix: PREFIX, us: life("attic"), onTwin: () => {}, clock });
    refused(opener.open(sealed, OURS), "clock");
    assert.equal(textOf(opener.open(sealer.seal(sealer.take(), Buffer.from("y"), OURS, ""), OURS)), "y");
    // A clock that was wrong at the start and is set right does not make us deaf.
    clock.day -= 3_600_000;
    assert.equal(textOf(opener.open(sealer.seal(sealer.take(), Buffer.from("z"), OURS, ""), OURS)), "z");
  });

  it("of our own, thrown back at us", () => {
    const { us, opener, clock } = pair();
    const own = new Sealer(SECRET, PREFIX, us, () => clock.day);
    refused(opener.open(own.seal(own.take(), Buffer.from("x"), OURS, ""), OURS), "reflected");
  });
});

describe("another process with our name", () => {
  it("is told of, and what it says is not taken", () => {
    const { sealer, opener, twins, them } = pair(life("attic"));
    assert.equal(opener.open(sealer.seal(sealer.take(), Buffer.from("x"), OURS, ""), OURS), "twin");
    assert.deepEqual(twins, [them.boot]);
  });

  it("is not taken to be running for what it sealed before we started", () => {
    const clock = new Clock();
    const before = new Sealer(SECRET, PREFIX, life("attic"), () => clock.day).seal(1, Buffer.from("x"), OURS, "");
    clock.pass(1_000);
    const onTwin = (): void => assert.fail("was told");
    const opener = new Opener({ secrets: [SECRET], prefix: PREFIX, us: life("attic"), onTwin, clock });
    assert.equal(opener.open(before, OURS), "twin");
  });
});

describe("a flood of messages that somebody made up", () => {
  it("derives at most 500 keys a second, and does not keep out those who are known", () => {
    const { sealer, opener, clock } = pair();
    assert.equal(textOf(opener.open(sealer.seal(sealer.take(), Buffer.from("known"), OURS, ""), OURS)), "known");
    const made = Array.from({ length: 2_000 }, () => opener.open(forgedBy(life("evil"), clock), OURS));
    const counted = Map.groupBy(made, (refusal) => refusal);
    assert.deepEqual([counted.get("forged")?.length, counted.get("flooded")?.length, opener.known], [499, 1_501, 1]);
    assert.equal(textOf(opener.open(sealer.seal(sealer.take(), Buffer.from("still"), OURS, ""), OURS)), "still");
    clock.pass(1_000);
    const newcomer = new Sealer(SECRET, PREFIX, life("porch"), () => clock.day);
    assert.equal(textOf(opener.open(newcomer.seal(newcomer.take(), Buffer.from("new"), OURS, ""), OURS)), "new");
  });

  function forgedBy({ node, boot }: Sender, clock: Clock): Buffer {
    const header = { keyId: SECRET.idIn(PREFIX), node, boot, receiverBoot: "", counter: 1, time: clock.day };
    return Buffer.concat([writeHeader(header), randomBytes(64)]);
  }
});

it("lives that ended are forgotten once all they said is too old to be said again", () => {
  const { opener, clock } = pair();
  for (let start = 0; start < 100; start++) {
    const sealer = new Sealer(SECRET, PREFIX, life("garage"), () => clock.day);
    assert.equal(textOf(opener.open(sealer.seal(sealer.take(), Buffer.from("x"), OURS, ""), OURS)), "x");
    clock.pass(60_000);
  }
  assert.ok(opener.known <= 11, `${opener.known}`);
});
