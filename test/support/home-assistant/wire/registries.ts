/** The registries, and areas as targets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Told, WireSocket } from "./client.ts";
import type { Statements } from "./index.ts";

const BED = "light.bed_light";
const list = (socket: WireSocket, kind: string): Promise<Told[]> =>
  socket.result({ type: `config/${kind}_registry/list` });
const find = (entries: Told[], entityId: string): Told => entries.find((entry) => entry.entity_id === entityId);

export const registryStatements: Statements = (client) => {
  test("areas are told with their ids and names", async () => {
    const areas = await list(await client().login(), "area");
    const bedroom = areas.find((area) => area.area_id === "bedroom");
    assert.equal(bedroom.name, "Bedroom");
    assert.deepEqual(bedroom.aliases, []);
    assert.equal("floor_id" in bedroom, client().modern);
  });

  test("entities are told in long and in short; one without an id of its own is in neither", async () => {
    const socket = await client().login();
    const long = await list(socket, "entity");
    const { entities, entity_categories } = await socket.result({ type: "config/entity_registry/list_for_display" });
    const [entry, short] = [find(long, BED), entities.find((entity: Told) => entity.ei === BED)];
    assert.deepEqual([entry.platform, entry.unique_id, short.pl], ["demo", "light_1", "demo"]);
    assert.equal(short.di, entry.device_id);
    assert.deepEqual(entity_categories, { 0: "config", 1: "diagnostic" });
    assert.equal(find(long, "light.salon_lamp"), undefined);
    assert.equal(find(long, "input_boolean.salon").original_name, "Salon");
    const device = (await list(socket, "device")).find((one) => one.id === entry.device_id);
    assert.deepEqual([device.name, device.identifiers], ["Bed Light", [["demo", "light_1"]]]);
  });

  test("an area stands for the entities in it", async () => {
    const socket = await client().login();
    await client().call("light", "turn_on", { entity_id: BED });
    const update = { type: "config/entity_registry/update", entity_id: BED };
    const { entity_entry } = await socket.result({ ...update, area_id: "bedroom" });
    assert.equal(entity_entry.area_id, "bedroom");
    const call = { type: "call_service", domain: "light", service: "turn_off" };
    await socket.result({ ...call, target: { area_id: ["kitchen"] } });
    assert.equal((await client().state(BED)).state, "on");
    await socket.result({ ...call, target: { area_id: "bedroom" } });
    assert.equal((await client().state(BED)).state, "off");
    const [changed] = await client().call("light", "turn_on", { area_id: "bedroom" });
    assert.deepEqual([changed.entity_id, changed.state], [BED, "on"]);
  });

  test("a device stands for its entities", async () => {
    const socket = await client().login();
    await client().call("light", "turn_on", { entity_id: BED });
    const { device_id } = find(await list(socket, "entity"), BED);
    const [changed] = await client().call("light", "turn_off", { device_id });
    assert.deepEqual([changed.entity_id, changed.state], [BED, "off"]);
  });

  test("what is renamed, moved or hidden is told of, and listed so from then on", async () => {
    const socket = await client().login();
    const told = async (kind: string, change: object): Promise<Told> => {
      const type = `${kind}_registry_updated`;
      await socket.result({ type: "subscribe_events", event_type: type });
      await socket.result({ type: `config/${kind}_registry/update`, ...change });
      return (await socket.next(({ event }) => event?.event_type === type)).event.data;
    };
    const { device_id } = find(await list(socket, "entity"), BED);
    assert.deepEqual(await told("area", { area_id: "bedroom", name: "Alcoba" }), {
      action: "update",
      area_id: "bedroom",
    });
    assert.equal((await list(socket, "area")).find(({ area_id }) => area_id === "bedroom").name, "Alcoba");
    assert.deepEqual(await told("device", { device_id, area_id: "kitchen" }), {
      action: "update",
      device_id,
      changes: { area_id: null },
    });
    assert.equal((await list(socket, "device")).find(({ id }) => id === device_id).area_id, "kitchen");
    const hidden = await told("entity", { entity_id: BED, hidden_by: "user" });
    assert.deepEqual(hidden, { action: "update", entity_id: BED, changes: { hidden_by: null } });
    const { entities } = await socket.result({ type: "config/entity_registry/list_for_display" });
    assert.equal(entities.find(({ ei }: Told) => ei === BED).hb, true);
    await socket.result({ type: "config/area_registry/update", area_id: "bedroom", name: "Bedroom" });
    await socket.result({ type: "config/device_registry/update", device_id, area_id: null });
    await socket.result({ type: "config/entity_registry/update", entity_id: BED, hidden_by: null });
  });
};
