/** The tools of a simulated Home Assistant with 105 entities, with a model's eyes: how much is told, and how briefly. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  assertAreaOff,
  assertLampsOffInBrief,
  assertNothingChanged,
  assertServicesInBrief,
  assertUnknownIsNamed,
  tell,
} from "../support/house-answers.ts";
import { type OpenHome, openHome } from "../support/seed-003.ts";

const OF_THE_HOUSE = 11;
const ENTITIES = 105;

let house: OpenHome;
before(async () => {
  house = await openHome({ home: { entities: ENTITIES - OF_THE_HOUSE } });
});
after(() => house?.stop());

describe("what a model is told of a house", () => {
  it("50 of 105 entities, and how the others are had", async () => {
    const { text, data } = await tell(house.http, "get_entities");
    assert.match(text, /\n50 of 105 entities are shown\. The next ones: offset 50\./);
    assert.deepEqual([data.total, data.shown, data.next_offset, data.entities.length], [ENTITIES, 50, 50, 50]);
    const next = (await tell(house.http, "get_entities", { offset: data.next_offset, limit: 1_000 })).data;
    assert.equal(next.entities.length, 55);
  });

  it("all lamps off, in two kilobytes", async (t) => {
    t.diagnostic(`${await assertLampsOffInBrief(house.http)} bytes`);
  });

  it("the services of one domain, in ten", async (t) => {
    t.diagnostic(`${Math.max(...(await assertServicesInBrief(house.http)).values())} bytes`);
  });

  it("which entity of a list is unknown", () => assertUnknownIsNamed(house.http, "light.kitchen_lights"));
  it("that nothing changed", () => assertNothingChanged(house.http, "light.kitchen_lights"));
  it("what was switched off in an area", () => assertAreaOff(house.http, "Kitchen", ["light.kitchen_lights"]));

  it("what is wrong with arguments that the schema refuses, before anything is done", async () => {
    const { status, body } = await house.http.rpc("/mcp", "tools/call", {
      name: "get_history",
      arguments: { entity_id: "light.kitchen_lights", hours: 1_000 },
    });
    assert.match(JSON.stringify([status, body]), /'hours' must be at most 720/);
  });

  it("an automation of one trigger and one action, which need no lists", async () => {
    const trigger = { platform: "state", entity_id: "input_boolean.salon", to: "on" };
    const action = { service: "light.turn_on", target: { entity_id: "light.salon_lamp" } };
    const { isError, text } = await tell(house.http, "create_automation", { alias: "Uno", trigger, action });
    assert.equal(isError, false, text);
  });
});
