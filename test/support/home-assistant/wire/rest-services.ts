/** Services over REST: what they change, and how little is told when something is wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Told } from "./client.ts";
import type { Statements } from "./index.ts";

const BED = "light.bed_light";
const ids = (states: Told[]): string[] => states.map((state) => state.entity_id);

export const restServiceStatements: Statements = (client) => {
  test("services are a list of domains, each with its services, their fields and targets", async () => {
    const { json } = await client().rest("GET", "/api/services");
    const light = json.find((one: Told) => one.domain === "light").services;
    assert.deepEqual(light.turn_on.target, { entity: [{ domain: ["light"] }] });
    assert.equal(typeof light.turn_on.description, "string");
    const weather = json.find((one: Told) => one.domain === "weather").services;
    assert.deepEqual(weather.get_forecasts.response, { optional: false });
  });

  test("a template lamp changes two states in one context, and none when it is as wanted", async () => {
    await client().call("light", "turn_off", { entity_id: "light.salon_lamp" });
    const changed = await client().call("light", "turn_on", { entity_id: "light.salon_lamp" });
    assert.deepEqual(ids(changed), ["input_boolean.salon", "light.salon_lamp"]);
    assert.deepEqual(
      changed.map((state) => state.state),
      ["on", "on"],
    );
    assert.equal(changed[0].context.id, changed[1].context.id);
    assert.ok(changed[0].context.user_id);
    assert.equal(changed[1].attributes.color_mode, "onoff");
    assert.deepEqual(await client().call("light", "turn_on", { entity_id: "light.salon_lamp" }), []);
    assert.equal((await client().state("light.salon_lamp")).state, "on");
  });

  test("a brightness is pressed into its range, and zero turns off", async () => {
    const [bright] = await client().call("light", "turn_on", { entity_id: BED, brightness: 999 });
    assert.deepEqual([bright.state, bright.attributes.brightness], ["on", 255]);
    const [half] = await client().call("light", "turn_on", { entity_id: BED, brightness_pct: 50 });
    assert.equal(half.attributes.brightness, 128);
    const [dark] = await client().call("light", "turn_on", { entity_id: BED, brightness: 0 });
    assert.deepEqual([dark.state, dark.attributes.brightness, dark.attributes.color_mode], ["off", null, null]);
  });

  test("a light comes back as bright as it was; toggle turns it over", async () => {
    await client().call("light", "turn_on", { entity_id: BED, brightness: 77 });
    const [off] = await client().call("light", "toggle", { entity_id: BED });
    const [on] = await client().call("light", "toggle", { entity_id: BED });
    assert.deepEqual([off.state, on.state, on.attributes.brightness], ["off", "on", 77]);
  });

  test("an entity that is not there is no mistake, and changes nothing", async () => {
    assert.deepEqual(await client().call("light", "turn_on", { entity_id: "light.nope" }), []);
    assert.deepEqual(await client().call("light", "turn_on", { entity_id: "switch.ac" }), []);
  });

  test("entities are named by one id, a list, a text with commas, or all of a domain", async () => {
    await client().call("light", "turn_on", { entity_id: [BED, "light.kitchen_lights"] });
    const listed = await client().call("light", "turn_off", { entity_id: `${BED}, light.kitchen_lights` });
    assert.deepEqual(ids(listed).sort(), [BED, "light.kitchen_lights"]);
    await client().call("light", "turn_on", { entity_id: "all" });
    const all = await client().call("light", "turn_off", { entity_id: "all" });
    const { json } = await client().rest("GET", "/api/states");
    const lights = ids(json).filter((id) => id.startsWith("light."));
    assert.deepEqual(
      ids(all)
        .filter((id) => id.startsWith("light."))
        .sort(),
      lights.sort(),
    );
  });

  test("homeassistant.turn_on reaches several domains in one context; all and nothing are not enough for it", async () => {
    const entity_id = ["switch.ac", "input_boolean.salon", BED];
    await client().call("homeassistant", "turn_off", { entity_id });
    const changed = await client().call("homeassistant", "turn_on", { entity_id });
    assert.deepEqual(ids(changed).sort(), ["input_boolean.salon", BED, "light.salon_lamp", "switch.ac"]);
    assert.equal(new Set(changed.map((state) => state.context.id)).size, 1);
    assert.deepEqual(await client().call("homeassistant", "turn_on", {}), []);
    const all = await client().rest("POST", "/api/services/homeassistant/turn_on", { entity_id: "all" });
    assert.deepEqual([all.status, all.text], [400, "400: Bad Request"]);
  });

  test("what cannot be called is 400 in plain text that does not say why", async () => {
    const refused = [
      ["light/nope", {}],
      ["nope/turn_on", {}],
      ["light/turn_on", {}],
      ["light/turn_on", { entity_id: "nope" }],
      ["light/turn_on", { entity_id: BED, nope: 1 }],
      ["light/turn_on", { entity_id: BED, brightness: "abc" }],
    ] as const;
    for (const [path, body] of refused) {
      const { status, type, text } = await client().rest("POST", `/api/services/${path}`, body);
      assert.deepEqual([status, type, text], [400, "text/plain; charset=utf-8", "400: Bad Request"], path);
    }
    const { status, json } = await client().rest("POST", "/api/services/light/turn_on", "{");
    assert.deepEqual([status, json], [400, { message: "Data should be valid JSON." }]);
  });

  test("a service that answers has to be asked for it, which an old one cannot be", async () => {
    const data = { entity_id: "weather.demo_weather_south", type: "daily" };
    const path = "/api/services/weather/get_forecasts";
    const unasked = await client().rest("POST", path, data);
    const asked = await client().rest("POST", `${path}?return_response`, data);
    const needless = await client().rest("POST", "/api/services/light/turn_on?return_response", { entity_id: BED });
    if (!client().modern) {
      assert.deepEqual([unasked.status, asked.status, needless.status], [500, 500, 200]);
      assert.equal(unasked.text, "500 Internal Server Error\n\nServer got itself in trouble");
      return;
    }
    assert.deepEqual([unasked.status, asked.status, needless.status], [400, 200, 400]);
    assert.match(unasked.json.message, /Add \?return_response to query parameters\.$/);
    assert.match(needless.json.message, /Remove return_response from request\.$/);
    assert.deepEqual(asked.json.changed_states, []);
    assert.equal(asked.json.service_response["weather.demo_weather_south"].forecast.length, 7);
  });
};
