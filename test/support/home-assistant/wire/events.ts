/** `subscribe_events`: events in full, until one has had enough. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Told, until } from "./client.ts";
import type { Statements } from "./index.ts";

const WIRE = "sensor.wire";
const PATH = `/api/states/${WIRE}`;

export const eventStatements: Statements = (client) => {
  test("a change comes with both states, a removal with none after", async () => {
    await client().rest("DELETE", PATH);
    const socket = await client().login();
    const id = socket.give({ type: "subscribe_events", event_type: "state_changed" });
    assert.equal((await socket.next((message) => message.id === id)).result, null);
    const first = (await client().rest("POST", PATH, { state: "1" })).json;
    const second = (await client().rest("POST", PATH, { state: "2" })).json;
    await client().rest("DELETE", PATH);
    const mine = () => socket.messages.filter((message) => message.event?.data.entity_id === WIRE);
    await until("three events came", () => mine().length === 3);
    assert.ok(mine().every((message) => message.type === "event" && message.id === id));
    const [made, changed, removed] = mine().map((message) => message.event);
    assert.deepEqual(Object.keys(made), ["event_type", "data", "origin", "time_fired", "context"]);
    assert.deepEqual([made.event_type, made.origin], ["state_changed", "LOCAL"]);
    assert.deepEqual(made.data, { entity_id: WIRE, old_state: null, new_state: first });
    assert.deepEqual(changed.data, { entity_id: WIRE, old_state: first, new_state: second });
    assert.deepEqual(changed.context, second.context);
    assert.deepEqual(removed.data, { entity_id: WIRE, old_state: second, new_state: null });
  });

  test("a subscription can be ended once; then nothing more comes", async () => {
    const socket = await client().login();
    const subscription = socket.give({ type: "subscribe_events", event_type: "state_changed" });
    await socket.next((message) => message.id === subscription);
    assert.equal(await socket.result({ type: "unsubscribe_events", subscription }), null);
    await client().rest("POST", PATH, { state: randomUUID() });
    await socket.ask({ type: "ping" });
    assert.ok(!socket.messages.some((message) => message.event?.data.entity_id === WIRE));
    const again = await socket.failure({ type: "unsubscribe_events", subscription });
    assert.deepEqual(again, { code: "not_found", message: "Subscription not found." });
  });

  test("without a type every event comes; a call of a service is one, also that which a lamp makes", async () => {
    await client().call("light", "turn_off", { entity_id: "light.salon_lamp" });
    const socket = await client().login();
    await socket.result({ type: "subscribe_events" });
    await client().call("light", "turn_on", { entity_id: "light.salon_lamp" });
    const told = () => socket.messages.flatMap((message) => message.event ?? []);
    await until("the lamp is told", () => told().some((event) => event.data.entity_id === "light.salon_lamp"));
    const calls = told().filter((event) => event.event_type === "call_service");
    assert.deepEqual(
      calls.map(({ data }: Told) => `${data.domain}.${data.service}`),
      ["light.turn_on", "input_boolean.turn_on"],
    );
    assert.deepEqual(calls[0].data.service_data, { entity_id: "light.salon_lamp" });
    assert.deepEqual(calls[0].context, calls[1].context);
  });
};
