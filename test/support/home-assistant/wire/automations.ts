/** Automations: written over REST, loaded a moment later, then entities like others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Told, until, type WireClient } from "./client.ts";
import type { Statements } from "./index.ts";

const PATH = "/api/config/automation/config";
const TRIGGER = [{ platform: "state", entity_id: "switch.decorative_lights", to: "unavailable" }];
const ACTION = [{ service: "light.turn_on", target: { entity_id: "light.salon_lamp" } }];

async function find(client: WireClient, id: string): Promise<Told> {
  const { json } = await client.rest("GET", "/api/states");
  return json.find((state: Told) => state.entity_id.startsWith("automation.") && state.attributes.id === id);
}

/** It is there as soon as it has a name to show. */
async function write(client: WireClient, id: string, alias: string): Promise<Told> {
  const { status, json } = await client.rest("POST", `${PATH}/${id}`, { alias, trigger: TRIGGER, action: ACTION });
  assert.deepEqual([status, json], [200, { result: "ok" }]);
  return until("the automation is loaded", async () => {
    const found = await find(client, id);
    return found?.attributes.friendly_name === alias && found.state !== "unavailable" ? found : undefined;
  });
}

async function remove(client: WireClient, id: string): Promise<void> {
  const { status, json } = await client.rest("DELETE", `${PATH}/${id}`);
  assert.deepEqual([status, json], [200, { result: "ok" }]);
  await until("the automation is gone", async () => !(await find(client, id)));
}

export const automationStatements: Statements = (client) => {
  test("a new one becomes an entity named after its alias, and is on", async () => {
    const state = await write(client(), "wire_1", "L'été à la maison");
    assert.equal(state.entity_id, "automation.l_ete_a_la_maison");
    assert.equal(state.state, "on");
    const friendly_name = "L'été à la maison";
    const attributes = { id: "wire_1", last_triggered: null, mode: "single", current: 0, friendly_name };
    assert.deepEqual(state.attributes, attributes);
    const { json } = await client().rest("GET", `${PATH}/wire_1`);
    assert.deepEqual(json, { id: "wire_1", alias: "L'été à la maison", trigger: TRIGGER, action: ACTION });
    await remove(client(), "wire_1");
  });

  test("a new name changes what people read, not the entity", async () => {
    await write(client(), "wire_2", "Wire two");
    const state = await write(client(), "wire_2", "Something else");
    assert.equal(state.entity_id, "automation.wire_two");
    await remove(client(), "wire_2");
  });

  test("it is disabled and enabled, and the call says so", async () => {
    const { entity_id } = await write(client(), "wire_3", "Wire three");
    const [off] = await client().call("automation", "turn_off", { entity_id });
    const [on] = await client().call("automation", "turn_on", { entity_id });
    assert.deepEqual([off.entity_id, off.state, on.state], [entity_id, "off", "on"]);
    await remove(client(), "wire_3");
  });

  test("triggered, it acts in a context of its own, so that the call tells of no change", async () => {
    const { entity_id } = await write(client(), "wire_4", "Wire four");
    await client().call("light", "turn_off", { entity_id: "light.salon_lamp" });
    assert.deepEqual(await client().call("automation", "trigger", { entity_id }), []);
    const lamp = await until("the lamp is on", async () => {
      const state = await client().state("light.salon_lamp");
      return state.state === "on" ? state : undefined;
    });
    assert.ok(lamp.context.parent_id);
    assert.equal(lamp.context.user_id, null);
    assert.ok((await client().state(entity_id)).attributes.last_triggered);
    await remove(client(), "wire_4");
  });

  test("what is none is refused with the reason; one that is not there is 404 to read and 400 to remove", async () => {
    const body = { alias: "x", trigger: TRIGGER, action: ACTION, nope: 1 };
    const extra = await client().rest("POST", `${PATH}/wire_5`, body);
    assert.deepEqual(
      [extra.status, extra.json.message],
      [400, "Message malformed: extra keys not allowed @ data['nope']"],
    );
    const bare = await client().rest("POST", `${PATH}/wire_5`, { alias: "x", action: ACTION });
    const key = client().modern ? "triggers" : "trigger";
    assert.equal(bare.json.message, `Message malformed: required key not provided @ data['${key}']`);
    const shapeless = await client().rest("POST", `${PATH}/wire_5`, { alias: "x", trigger: [{}], action: ACTION });
    assert.match(shapeless.json.message, /^Message malformed: /);
    const broken = await client().rest("POST", `${PATH}/wire_5`, "{");
    assert.deepEqual([broken.status, broken.json], [400, { message: "Invalid JSON specified" }]);
    const missing = { message: "Resource not found" };
    const [read, removed] = [await client().rest("GET", `${PATH}/nope`), await client().rest("DELETE", `${PATH}/nope`)];
    assert.deepEqual([read.status, read.json, removed.status, removed.json], [404, missing, 400, missing]);
  });

  test("while it is loaded anew it is unavailable for a moment, for whoever follows it", async () => {
    const { entity_id } = await write(client(), "wire_6", "Wire six");
    const socket = await client().login();
    await socket.result({ type: "subscribe_entities", entity_ids: [entity_id] });
    await write(client(), "wire_6", "Wire six again");
    const changes = () => socket.messages.flatMap((message) => message.event?.c?.[entity_id] ?? []);
    await until("both changes are told", () => changes().length === 2);
    assert.deepEqual(
      changes().map((change) => change["+"].s),
      ["unavailable", "on"],
    );
    await remove(client(), "wire_6");
    await socket.next((message) => message.event?.r?.includes(entity_id));
  });
};
