import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Payload } from "../protocol/json/payload.ts";
import { ListChanges } from "./list-changes.ts";

const TOOLS = "notifications/tools/list_changed";
const PROMPTS = "notifications/prompts/list_changed";

describe("changes of a source's lists", () => {
  it("are told at once, and all that follow within a moment as one, with the last word", async () => {
    const { clock, told, changes } = open();
    for (let n = 0; n < 10_000; n++) changes.add("tv", TOOLS, Payload.ofValue({ n }));
    assert.deepEqual(told, [["tv", TOOLS, '{"n":0}']]);
    await clock.advance(100);
    assert.deepEqual(told.slice(1), [["tv", TOOLS, '{"n":9999}']]);
    await clock.advance(100);
    assert.deepEqual([told.length, clock.pending], [2, 0]);
  });

  it("are gathered for each source and each list by itself", () => {
    const { told, changes } = open();
    for (const [source, method] of [
      ["tv", TOOLS],
      ["tv", PROMPTS],
      ["radio", TOOLS],
    ] as const) {
      changes.add(source, method, Payload.ofText("{}"));
    }
    assert.equal(told.length, 3);
    changes.end();
  });

  it("of a source that has gone are told no more", async () => {
    const { clock, told, changes } = open();
    for (let n = 0; n < 2; n++) changes.add("tv", TOOLS, Payload.ofText("{}"));
    changes.forget("tv");
    await clock.advance(100);
    assert.deepEqual([told.length, clock.pending], [1, 0]);
  });
});

function open() {
  const clock = new FakeClock();
  const told: [string, string, string][] = [];
  const changes = new ListChanges(clock, (source, method, params) => told.push([source, method, params.text]));
  return { clock, told, changes };
}
