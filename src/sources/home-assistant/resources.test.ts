import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type SimulatedHome, startHomeAssistant } from "../../../test/support/home-assistant/index.ts";
import { ask, connectHouse, type Said, untilAsked } from "../../../test/support/open-house.ts";
import { until } from "../../../test/support/processes.ts";
import type { Connection } from "../source.ts";
import { type Entity, LiveStates } from "./live-states.ts";
import { entityOf, resourceOf } from "./resources.ts";

const LAMP = "hass://entities/light.salon_lamp";
const SENSOR = "hass://entities/sensor.temperature_salon";

let home: SimulatedHome;
let house: Connection;
let said: Said[];

beforeEach(async () => {
  home = await startHomeAssistant();
  ({ connection: house, said } = await connectHouse(home));
});

afterEach(async () => {
  await house.close();
  await home.stop();
});

describe("entities as resources", () => {
  it("are listed with their names, and told by a template", async () => {
    const { resources } = (await ask(house, "resources/list")) as { resources: { uri: string }[] };
    assert.deepEqual(
      resources.find(({ uri }) => uri === LAMP),
      { uri: LAMP, name: "light.salon_lamp", title: "Lampe Salon", mimeType: "application/json" },
    );
    assert.equal(resources.length, house.health?.().entities);
    const { resourceTemplates } = (await ask(house, "resources/templates/list")) as {
      resourceTemplates: { uriTemplate: string }[];
    };
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ["hass://entities/{entity_id}", "hass://madrid/entities/{entity_id}"],
    );
    assert.deepEqual(house.face?.capabilities["resources"], { subscribe: true, listChanged: true });
  });

  it("are read as the JSON of the entity, by either address", async () => {
    for (const uri of [LAMP, "hass://madrid/entities/light.salon_lamp"]) {
      const { contents } = (await ask(house, "resources/read", { uri })) as { contents: Record<string, string>[] };
      assert.deepEqual([contents[0]?.["uri"], contents[0]?.["mimeType"]], [uri, "application/json"]);
      const entity = JSON.parse(contents[0]?.["text"] ?? "") as Entity;
      assert.deepEqual([entity.entity_id, entity.state], ["light.salon_lamp", "off"]);
    }
  });

  it("are not found where there is none, in MCP's words", async () => {
    for (const uri of [
      "hass://entities/light.no",
      "hass://entities/%",
      "hass://playa/entities/sun.sun",
      "file:///etc",
    ]) {
      await assert.rejects(
        ask(house, "resources/read", { uri }),
        (error: { details?: { relayed?: { code?: number } } }) => {
          assert.equal(error.details?.relayed?.code, -32002, uri);
          return true;
        },
      );
    }
    await assert.rejects(ask(house, "resources/read", {}), { code: "INVALID_PARAMS" });
  });

  it("have addresses that survive odd names", () => {
    for (const id of ["sensor.a b/ñ%2F?#", "sensor.🏠", "../..", "__proto__", "a.b/entities/c"]) {
      const states = new LiveStates();
      states.apply(JSON.parse(`{"a":{${JSON.stringify(id)}:{"s":"1","a":{},"c":"x","lc":1}}}`));
      const [{ uri = "" } = {}] = [...states.all()].map(resourceOf);
      assert.match(uri, /^hass:\/\/entities\/[^/?# ]+$/);
      assert.equal(entityOf(uri, "madrid"), id);
    }
  });

  it("are told of when they change, to whoever subscribed, and to nobody else", async () => {
    await ask(house, "resources/subscribe", { uri: SENSOR });
    home.setState("light.salon_lamp", "on");
    const changedAt = performance.now();
    home.setState("sensor.temperature_salon", "18");
    await until("the update is told", () => said.length > 0);
    assert.ok(performance.now() - changedAt < 5_000);
    assert.deepEqual(said, [{ method: "notifications/resources/updated", params: { uri: SENSOR } }]);
    assert.match(JSON.stringify(await ask(house, "resources/read", { uri: SENSOR })), /\\"18\\"/);
    await ask(house, "resources/unsubscribe", { uri: SENSOR });
    home.setState("sensor.temperature_salon", "19");
    await untilAsked("the change is here", async () =>
      JSON.stringify(await ask(house, "resources/read", { uri: SENSOR })).includes('\\"19\\"'),
    );
    assert.equal(said.length, 1);
  });

  it("are told of by every address that was subscribed to", async () => {
    const long = "hass://madrid/entities/sensor.temperature_salon";
    for (const uri of [SENSOR, long]) await ask(house, "resources/subscribe", { uri });
    home.setState("sensor.temperature_salon", "18");
    await until("both are told", () => said.length === 2);
    assert.deepEqual(said.map(({ params }) => (params as { uri: string }).uri).sort(), [SENSOR, long].sort());
  });

  it("change as a list when some come or go, which is told once for many", async () => {
    for (let i = 0; i < 20; i++) home.setState(`sensor.new_${i}`, "1");
    home.removeState("sensor.temperature_salon");
    await until("it is told", () => said.length > 0);
    assert.deepEqual(said, [{ method: "notifications/resources/list_changed", params: {} }]);
    const { resources } = (await ask(house, "resources/list")) as { resources: { uri: string }[] };
    assert.ok(resources.some(({ uri }) => uri === "hass://entities/sensor.new_19"));
    assert.ok(!resources.some(({ uri }) => uri === SENSOR));
  });

  it("that changed while the house was away are told to whoever listens again", async () => {
    const lastHeard = new Map();
    const first = await connectHouse(home, { lastHeard });
    await ask(first.connection, "resources/subscribe", { uri: SENSOR });
    await ask(first.connection, "resources/subscribe", { uri: LAMP });
    await first.connection.close();
    home.setState("sensor.temperature_salon", "5");
    const second = await connectHouse(home, { lastHeard });
    await ask(second.connection, "resources/subscribe", { uri: SENSOR });
    await ask(second.connection, "resources/subscribe", { uri: LAMP });
    assert.deepEqual(second.said, [{ method: "notifications/resources/updated", params: { uri: SENSOR } }]);
    await second.connection.close();
  });
});
