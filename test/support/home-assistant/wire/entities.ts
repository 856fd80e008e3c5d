/** `subscribe_entities`: everything once, then only what changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Told, until, type WireClient, type WireSocket } from "./client.ts";
import type { Statements } from "./index.ts";

const WIRE = "sensor.wire";

function write(client: WireClient, state: string, attributes: object): Promise<unknown> {
  return client.rest("POST", `/api/states/${WIRE}`, { state, attributes });
}

/** The changes of one entity so far. */
function changes(socket: WireSocket, entityId: string): Told[] {
  return socket.messages.flatMap((message) => message.event?.c?.[entityId] ?? []);
}

export const entityStatements: Statements = (client) => {
  test("first come all states in short, their moments in seconds", async () => {
    await client().call("light", "toggle", { entity_id: "light.salon_lamp" });
    const lamp = await client().state("light.salon_lamp");
    const socket = await client().login();
    const id = socket.give({ type: "subscribe_entities" });
    const { event } = await socket.next((message) => message.type === "event" && message.id === id);
    assert.deepEqual(Object.keys(event), ["a"]);
    assert.ok(Object.keys(event.a).length > 10);
    const short = event.a["light.salon_lamp"];
    assert.deepEqual([short.s, short.a, short.c], [lamp.state, lamp.attributes, lamp.context]);
    assert.equal(Math.floor(short.lc * 1000), Date.parse(lamp.last_changed));
    assert.equal(short.lu, undefined);
    assert.equal(typeof event.a["zone.home"].c, "string", "a context without user or parent is only its id");
  });

  test("a change tells what changed: state, moment, attributes, context", async () => {
    await client().rest("DELETE", `/api/states/${WIRE}`);
    await write(client(), "1", { a: 1, b: { deep: [1] } });
    const socket = await client().login();
    await socket.result({ type: "subscribe_entities", entity_ids: [WIRE] });
    await write(client(), "2", { a: 1, b: { deep: [2] } });
    await write(client(), "2", { a: 1, b: { deep: [2] } });
    await write(client(), "2", { a: 2 });
    await until("both changes are told", () => changes(socket, WIRE).length === 2);
    const [first, second] = changes(socket, WIRE);
    const { last_changed, last_updated, context } = await client().state(WIRE);
    assert.deepEqual(Object.keys(first), ["+"]);
    assert.deepEqual(Object.keys(first["+"]), ["s", "lc", "c", "a"]);
    assert.deepEqual([first["+"].s, first["+"].a], ["2", { b: { deep: [2] } }]);
    assert.equal(typeof first["+"].c, "string", "the same user: only the id differs");
    assert.deepEqual(second, { "+": { lu: second["+"].lu, c: context.id, a: { a: 2 } }, "-": { a: ["b"] } });
    assert.equal(Math.floor(first["+"].lc * 1000), Date.parse(last_changed));
    assert.equal(Math.floor(second["+"].lu * 1000), Date.parse(last_updated));
  });

  test("a context of which more differs is told in part", async () => {
    const id = "wire_context";
    const body = { alias: "Wire context", trigger: [{ platform: "state", entity_id: "zone.home" }], action: [] };
    await client().rest("POST", `/api/config/automation/config/${id}`, body);
    const entity_id = "automation.wire_context";
    await until("the automation is loaded", async () => (await client().state(entity_id)).state === "on");
    const socket = await client().login();
    await socket.result({ type: "subscribe_entities", entity_ids: [entity_id] });
    await client().call("automation", "turn_off", { entity_id });
    await until("the change is told", () => changes(socket, entity_id).length === 1);
    const { context } = await client().state(entity_id);
    assert.deepEqual(changes(socket, entity_id)[0]["+"].c, { user_id: context.user_id, id: context.id });
    await client().rest("DELETE", `/api/config/automation/config/${id}`);
  });

  test("who is new is told whole, who is gone by name", async () => {
    await client().rest("DELETE", `/api/states/${WIRE}`);
    const socket = await client().login();
    await socket.result({ type: "subscribe_entities", entity_ids: [WIRE] });
    await write(client(), "1", { a: 1 });
    await client().rest("DELETE", `/api/states/${WIRE}`);
    const gone = await socket.next((message) => message.event?.r);
    assert.deepEqual(gone.event, { r: [WIRE] });
    const [nobody, added] = socket.messages.filter((message) => message.event?.a);
    assert.deepEqual(nobody.event.a, {});
    assert.deepEqual([added.event.a[WIRE].s, added.event.a[WIRE].a], ["1", { a: 1 }]);
  });

  test("an id that is none is refused", async () => {
    const socket = await client().login();
    const { code, message } = await socket.failure({ type: "subscribe_entities", entity_ids: "x" });
    assert.equal(code, "invalid_format");
    assert.equal(message, "Entity ID x is an invalid entity ID for dictionary value @ data['entity_ids']. Got 'x'");
  });

  test("several messages come as one array to whoever can read that, and to nobody else", async () => {
    const [plain, able] = [await client().login(), await client().login()];
    const features = { coalesce_messages: 1 };
    assert.equal(await able.result({ type: "supported_features", features }), null);
    for (const socket of [plain, able]) {
      const id = socket.give({ type: "subscribe_entities", entity_ids: ["light.salon_lamp"] });
      await socket.next((message) => message.type === "event" && message.id === id);
    }
    assert.ok(plain.frames.every((frame) => !Array.isArray(frame)));
    const both: Told = able.frames.find(Array.isArray);
    assert.deepEqual(
      both.map((message: Told) => message.type),
      ["result", "event"],
    );
  });
};
