import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { type FakeConnection, FakeKind } from "../../test/support/fake-kind.ts";
import { never } from "../../test/support/supervised.ts";
import type { HubEvent } from "../core/events.ts";
import { ZaguanError } from "../errors.ts";
import { EMPTY_OBJECT } from "../protocol/json/payload.ts";
import type { Source, SourceHealth } from "./source.ts";
import { supervise } from "./supervisor.ts";

describe("a source that is to be up from the start", () => {
  it("is started by word, once, and not before", async () => {
    const { kind, source, clock } = build();
    await clock.advance(100_000);
    assert.equal(kind.attempts.length, 0);
    source.start?.();
    source.start?.();
    await clock.advance(0);
    assert.equal(kind.attempts.length, 1);
    kind.last.succeed();
    await clock.advance(0);
    assert.equal(source.status().state, "ready");
    source.start?.();
    assert.equal(kind.attempts.length, 1);
  });

  it("keeps nobody waiting once it could not be reached, and is looked for every few seconds for ever", async () => {
    const { kind, source, clock, events } = build();
    source.start?.();
    await clock.advance(0);
    const waiting = assert.rejects(ask(source), { code: "SOURCE_UNAVAILABLE", delivery: "not_sent" });
    for (let day = 0; day < 100; day++) {
      kind.last.fail("connection refused");
      await clock.advance(5_000);
      assert.equal(kind.attempts.length, day + 2);
      await assert.rejects(ask(source), { code: "SOURCE_UNAVAILABLE" });
    }
    await waiting;
    const broken = events.filter((event) => event.type === "source-state" && event.state === "broken");
    assert.equal(broken.length, 1);
    kind.last.succeed();
    await clock.advance(0);
    await ask(source);
  });

  it("lets a request wait for the first try after a life that was of use", async () => {
    const { kind, source, clock } = build();
    source.start?.();
    await clock.advance(0);
    const life = kind.last.succeed();
    await clock.advance(0);
    await ask(source);
    life.die("the connection was lost");
    await clock.advance(0);
    const waiting = ask(source);
    await clock.advance(500);
    kind.last.succeed();
    await waiting;
  });

  it("is left alone for as long as it asked, and others are told for how long", async () => {
    const { kind, source, clock } = build();
    source.start?.();
    await clock.advance(0);
    const params = { source: "s", reason: "it refused the token" };
    kind.last.failWith(new ZaguanError("SOURCE_UNAVAILABLE", { params, retryAfterMs: 300_000 }));
    await clock.advance(100_000);
    await assert.rejects(ask(source), (error) => (error as ZaguanError).details.retryAfterMs === 200_000);
    await clock.advance(199_999);
    assert.equal(kind.attempts.length, 1);
    await clock.advance(1);
    assert.equal(kind.attempts.length, 2);
  });

  it("tells how it is: what is known of it always, the rest while it is up", async () => {
    const { kind, source, clock } = build();
    assert.deepEqual(source.health?.(), { url: "http://house", lastSuccessAt: undefined });
    source.start?.();
    await clock.advance(0);
    const life: Watched = kind.last.succeed();
    await clock.advance(0);
    life.health = () => ({ pingMs: 23, entities: 7, lastSuccessAt: 5 });
    assert.deepEqual(source.health?.(), { url: "http://house", pingMs: 23, entities: 7, lastSuccessAt: 5 });
    life.die("gone");
    await clock.advance(0);
    assert.deepEqual(source.health?.(), { url: "http://house", lastSuccessAt: 5 });
    assert.equal(source.status().lastSeen, 5);
  });
});

class EagerKind extends FakeKind {
  readonly isEager = true;

  about(): SourceHealth {
    return { url: "http://house" };
  }
}

type Watched = FakeConnection & { health?: () => SourceHealth };

function build() {
  const clock = new FakeClock();
  const kind = new EagerKind();
  const events: HubEvent[] = [];
  const ports = { clock, random: () => 0.9999, emit: (event: HubEvent) => events.push(event) };
  const source: Source = supervise(kind, "s", "options", { readyMs: 10_000, onToolsChanged: () => {} }, ports);
  return { clock, source, events, kind };
}

function ask(source: Source): Promise<unknown> {
  return source.request({ method: "tools/call", name: "x", args: EMPTY_OBJECT, language: "en", signal: never });
}
