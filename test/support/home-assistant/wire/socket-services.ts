/** `call_service`: states before results, and failures that say why. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Statements } from "./index.ts";

const LAMP = "light.salon_lamp";
const turnOn = (service_data: object, target?: object) => {
  return { type: "call_service", domain: "light", service: "turn_on", service_data, ...(target && { target }) };
};

export const socketServiceStatements: Statements = (client) => {
  test("the change is told before the result, and in the context that the result names", async () => {
    await client().call("light", "turn_off", { entity_id: LAMP });
    const socket = await client().login();
    await socket.result({ type: "subscribe_events", event_type: "state_changed" });
    const { context } = await socket.result(turnOn({}, { entity_id: [LAMP] }));
    const seen = socket.messages.slice(3).flatMap((message) => message.event?.data?.entity_id ?? message.type);
    const mine = seen.filter((what) => [LAMP, "input_boolean.salon", "result"].includes(what));
    assert.deepEqual(mine, ["input_boolean.salon", LAMP, "result"]);
    assert.deepEqual((await client().state(LAMP)).context, context);
    assert.deepEqual([context.parent_id, typeof context.user_id], [null, "string"]);
  });

  test("a target may be one id or a list; it goes over what the data say", async () => {
    const socket = await client().login();
    await socket.result(
      turnOn({ brightness: 40, entity_id: "light.kitchen_lights" }, { entity_id: "light.bed_light" }),
    );
    assert.equal((await client().state("light.bed_light")).attributes.brightness, 40);
  });

  test("an unknown service is not found, with what a translator needs", async () => {
    const socket = await client().login();
    assert.deepEqual(await socket.failure({ type: "call_service", domain: "light", service: "nope" }), {
      code: "not_found",
      message: "Service light.nope not found.",
      translation_key: "service_not_found",
      translation_placeholders: { domain: "light", service: "nope" },
      translation_domain: "homeassistant",
    });
  });

  test("wrong data are badly formed, and the first fault is told", async () => {
    const socket = await client().login();
    const targets = ["entity_id", "device_id", "area_id", ...(client().modern ? ["floor_id", "label_id"] : [])];
    const refusals = [
      [{}, `must contain at least one of ${targets.join(", ")}.`],
      [{ entity_id: LAMP, nope: 1 }, "extra keys not allowed @ data['nope']"],
      [{ entity_id: LAMP, brightness: "abc" }, "expected int for dictionary value @ data['brightness']"],
      [{ entity_id: "nope" }, "not a valid value for dictionary value @ data['entity_id']"],
    ] as const;
    for (const [data, message] of refusals) {
      assert.deepEqual(await socket.failure(turnOn(data)), { code: "invalid_format", message });
    }
  });

  test("floors and labels are targets only for newer ones", async () => {
    const socket = await client().login();
    const { success, error } = await socket.ask(turnOn({}, { entity_id: LAMP, floor_id: [] }));
    assert.equal(success, client().modern);
    if (error) assert.equal(error.message, "extra keys not allowed @ data['target']['floor_id']. Got []");
  });

  test("a response comes with the result, if there is one and it was asked for", async () => {
    const socket = await client().login();
    const weather = { type: "call_service", domain: "weather", service: "get_forecasts" };
    const question = {
      ...weather,
      target: { entity_id: "weather.demo_weather_south" },
      service_data: { type: "daily" },
    };
    const { response } = await socket.result({ ...question, return_response: true });
    assert.equal(response["weather.demo_weather_south"].forecast.length, 7);
    const code = client().modern ? "service_validation_error" : "unknown_error";
    assert.equal((await socket.failure(question)).code, code);
    assert.equal((await socket.failure({ ...turnOn({ entity_id: LAMP }), return_response: true })).code, code);
  });

  test("what a service itself cannot do is its error, in words", async () => {
    const socket = await client().login();
    const weather = { type: "call_service", domain: "weather", service: "get_forecasts", return_response: true };
    const service_data = { type: "hourly", entity_id: "weather.demo_weather_south" };
    const { code, message } = await socket.failure({ ...weather, service_data });
    assert.equal(code, "home_assistant_error");
    assert.equal(message, "Weather entity 'weather.demo_weather_south' does not support 'hourly' forecast");
  });
};
