import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Heartbeat } from "./heartbeat.ts";

describe("a heartbeat", () => {
  it("measures how long an answer takes, again and again", async () => {
    const { clock, heartbeat, pings } = build();
    heartbeat.start();
    await clock.advance(30_000);
    await clock.advance(23);
    pings[0]?.resolve();
    await clock.advance(0);
    assert.equal(heartbeat.lastMs, 23);
    await clock.advance(30_000);
    assert.equal(pings.length, 2);
    await clock.advance(5);
    pings[1]?.resolve();
    await clock.advance(0);
    assert.equal(heartbeat.lastMs, 5);
  });

  it("tells of an answer that does not come in time", async () => {
    const { clock, heartbeat, silences } = build();
    heartbeat.start();
    await clock.advance(39_999);
    assert.equal(silences(), 0);
    await clock.advance(1);
    assert.equal(silences(), 1);
  });

  it("asks once for all who want to know meanwhile", async () => {
    const { clock, heartbeat, pings } = build();
    const beats = [heartbeat.beat(), heartbeat.beat()];
    await clock.advance(1);
    assert.equal(pings.length, 1);
    pings[0]?.resolve();
    await Promise.all(beats);
  });

  it("asks no more once it was stopped, not even after an answer that was due", async () => {
    const { clock, heartbeat, pings } = build();
    heartbeat.start();
    await clock.advance(30_000);
    heartbeat.stop();
    pings[0]?.resolve();
    await clock.advance(100_000);
    assert.equal(pings.length, 1);
  });
});

function build() {
  const clock = new FakeClock();
  const pings: PromiseWithResolvers<void>[] = [];
  let silent = 0;
  const heartbeat = new Heartbeat({
    clock,
    pingMs: 30_000,
    pongMs: 10_000,
    ping: () => {
      const ping = Promise.withResolvers<void>();
      pings.push(ping);
      return ping.promise;
    },
    onSilence: () => {
      silent++;
    },
  });
  return { clock, heartbeat, pings, silences: () => silent };
}
