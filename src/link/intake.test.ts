import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Intake } from "./intake.ts";

describe("what comes in over a link", () => {
  it("passes at once and without a limit where it was asked for", () => {
    const { intake, seen, steps } = open(() => "answer");
    for (let n = 0; n < 100_000; n++) intake.take("answer");
    assert.equal(seen.length, 100_000);
    assert.deepEqual(steps, []);
  });

  it("is a hundred a turn where nobody asked, in its order, and nothing is lost", async () => {
    const { intake, seen, steps, clock } = open(() => "unasked");
    for (let n = 0; n < 250; n++) intake.take(`${n}`);
    assert.equal(seen.length, 100);
    assert.deepEqual(steps, ["pause"]);
    await clock.advance(1);
    assert.deepEqual(
      seen,
      Array.from({ length: 250 }, (_, n) => `${n}`),
    );
    assert.equal(steps.at(-1), "resume");
  });

  it("is a thousand a second in the long run, however fast it comes", async () => {
    const { intake, seen, clock } = open(() => "unasked");
    const [saved, seconds] = [2_000, 10];
    for (let n = 0; n < 20_000; n++) intake.take("n");
    await clock.advance(seconds * 1_000);
    assert.ok(seen.length <= saved + 1_000 * (seconds + 1), `${seen.length}`);
    assert.ok(seen.length >= 1_000 * seconds, `${seen.length}`);
  });

  it("is a fifth of that where it wants answers", () => {
    const { intake, seen } = open(() => "question");
    for (let n = 0; n < 250; n++) intake.take("q");
    assert.equal(seen.length, 20);
  });

  it("is five times as much where we subscribed to it: in a house ten thousand entities may change at once", async () => {
    const { intake, seen, steps, clock } = open(() => "event");
    for (let n = 0; n < 10_000; n++) intake.take("");
    await clock.advance(1_000);
    assert.equal(seen.length, 10_000);
    for (let seconds = 0; seconds < 60; seconds++) {
      for (let n = 0; n < 4_000; n++) intake.take("");
      await clock.advance(1_000);
    }
    assert.deepEqual([seen.length, steps.includes("flood")], [250_000, false]);
  });

  it("counts by its bytes where it is large", () => {
    const { intake, seen } = open(() => "unasked");
    for (let n = 0; n < 20; n++) intake.take("x".repeat(400_000));
    assert.equal(seen.length, 2);
  });

  it("is told as a flood after half a minute at the limit, not before", async () => {
    const { intake, steps, clock } = open(() => "unasked");
    const talk = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 500) {
        for (let n = 0; n < 1_000; n++) intake.take("n");
        await clock.advance(500);
      }
    };
    await talk(29_000);
    assert.equal(steps.includes("flood"), false);
    await talk(6_000);
    assert.equal(steps.includes("flood"), true);
  });

  it("is no flood where it rests in between", async () => {
    const { intake, steps, clock } = open(() => "unasked");
    for (let seconds = 0; seconds < 60; seconds++) {
      for (let n = 0; n < 900; n++) intake.take("n");
      await clock.advance(1_000);
    }
    assert.equal(steps.includes("flood"), false);
  });

  it("is all handed out when somebody has to know, and at the end", () => {
    const { intake, seen } = open(() => "unasked");
    for (let n = 0; n < 500; n++) intake.take("n");
    intake.flush();
    assert.equal(seen.length, 500);
    for (let n = 0; n < 500; n++) intake.take("n");
    intake.end();
    for (let n = 0; n < 5_000; n++) intake.take("n");
    assert.equal(seen.length, 6_000);
  });

  it("keeps to which request of ours it belongs", async () => {
    const sent: unknown[] = [];
    const { intake, clock } = open((_message, of) => {
      sent.push(of);
      return "unasked";
    });
    for (let n = 0; n < 150; n++) intake.take("n", `${n}`);
    await clock.advance(1);
    assert.deepEqual([sent[0], sent[149]], ["0", "149"]);
  });
});

function open(judge: (message: string, sent?: string) => string) {
  const clock = new FakeClock();
  const seen: string[] = [];
  const steps: string[] = [];
  const intake = new Intake({
    deliver: (message, sent) => {
      seen.push(message);
      return judge(message, sent);
    },
    pause: () => steps.push("pause"),
    resume: () => steps.push("resume"),
    onFlood: () => steps.push("flood"),
    clock,
  });
  return { intake, seen, steps, clock };
}
