import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import {
  type HomeOptions,
  type SimulatedHome,
  startHomeAssistant,
} from "../../../test/support/home-assistant/index.ts";
import { WireClient } from "../../../test/support/home-assistant/wire/client.ts";
import { connectHouse } from "../../../test/support/open-house.ts";
import { until } from "../../../test/support/processes.ts";
import type { Things } from "../source.ts";

const BED = "light.bed_light";
const AC = "switch.ac";
const EVENTS = ["area_registry_updated", "device_registry_updated", "entity_registry_updated"];
const LISTS = ["area_registry/list", "device_registry/list", "entity_registry/list_for_display"].map(
  (list) => `config/${list}`,
);
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

for (const version of ["2024.3.3", "2026.7.0"]) {
  describe(`the things of a house like ${version}`, () => {
    it("are its entities, each with its state and its area", async () => {
      const { things, home } = await open({ version });
      home.setState("sensor.temperature_salon", "22.5");
      await until("the change is here", () => things.get("sensor.temperature_salon")?.state === "22.5");
      const listed = new Map((await things.list()).map(({ thing, place }) => [thing.id, { thing, place }]));
      const { thing, place } = listed.get("sensor.temperature_salon") ?? assert.fail();
      const { changedUtc, ...rest } = thing;
      const name = "Température Salon";
      assert.deepEqual(rest, {
        id: "sensor.temperature_salon",
        name,
        domain: "sensor",
        state: "22.5",
        unit: "°C",
      });
      assert.ok(Math.abs(Date.parse(changedUtc ?? "") - Date.now()) < 60_000);
      assert.deepEqual(place, { id: "living_room", name: "Living Room" });
      assert.deepEqual(listed.get(BED)?.place, { id: "bedroom", name: "Bedroom" });
      assert.equal("unit" in (listed.get(BED)?.thing ?? {}), false);
      // It has no id of its own, and so no entry in the registry.
      assert.deepEqual([listed.has("light.salon_lamp"), listed.get("light.salon_lamp")?.place], [true, undefined]);
    });

    it("stand where their device does, unless they have an area of their own", async () => {
      const { things, wire } = await open({ version });
      const socket = await wire.login();
      const update = (kind: string, more: object): Promise<unknown> =>
        socket.result({ type: `config/${kind}_registry/update`, ...more });
      const entries = await socket.result({ type: "config/entity_registry/list" });
      const { device_id } = entries.find(({ entity_id }: { entity_id: string }) => entity_id === BED);
      await update("device", { device_id, area_id: "kitchen" });
      assert.equal((await placeOf(things, BED))?.id, "bedroom");
      await update("entity", { entity_id: BED, area_id: null });
      assert.deepEqual(await placeOf(things, BED), { id: "kitchen", name: "Kitchen" });
      await update("device", { device_id, area_id: null });
      assert.equal(await placeOf(things, BED), undefined);
    });

    it("are not shown if they are hidden, or there to set a device up", async () => {
      const { things, home, wire } = await open({ version });
      for (const [id, category] of Object.entries({ battery: "diagnostic", delay: "config", plain: undefined })) {
        home.setState(`sensor.${id}`, "1");
        home.register(`sensor.${id}`, category ? { category: category as "config" } : {});
      }
      const socket = await wire.login();
      await socket.result({ type: "config/entity_registry/update", entity_id: AC, hidden_by: "user" });
      await until("all are here", () => ["battery", "delay", "plain"].every((id) => things.get(`sensor.${id}`)));
      const ids = (await things.list()).map(({ thing }) => thing.id);
      assert.deepEqual(
        ["sensor.battery", "sensor.delay", AC, "sensor.plain", BED].map((id) => ids.includes(id)),
        [false, false, false, true, true],
      );
    });
  });
}

describe("who watches the things of a house", () => {
  it("is told at once which have changed", async () => {
    const { home, heard } = await watched();
    home.setState(AC, "on");
    await until("it is told", () => heard.includes(AC));
    assert.ok(!heard.includes("rearranged"));
  });

  it("is told that some came, went, or stand elsewhere; and lists them as they are then", async () => {
    const { home, things, heard, wire } = await watched();
    home.setState("light.new", "on", { friendly_name: "New" });
    await rearranged(heard);
    assert.ok((await things.list()).some(({ thing }) => thing.name === "New"));
    home.removeState("light.new");
    await rearranged(heard);
    assert.ok(!(await things.list()).some(({ thing }) => thing.name === "New"));
    const socket = await wire.login();
    await socket.result({ type: "config/area_registry/update", area_id: "bedroom", name: "Alcoba" });
    await rearranged(heard);
    assert.equal((await placeOf(things, BED))?.name, "Alcoba");
    await socket.result({ type: "config/entity_registry/update", entity_id: BED, area_id: "kitchen" });
    await rearranged(heard);
    assert.equal((await placeOf(things, BED))?.name, "Kitchen");
  });

  it("costs the house three subscriptions, however many watch, and none afterwards", async () => {
    const { home, things } = await open();
    const counts = (): string => EVENTS.map((type) => home.listeners(type)).join();
    await things.list();
    assert.equal(counts(), "0,0,0");
    const [one, two] = [things.watch(deaf()), things.watch(deaf())];
    await until("it is told of all three", () => counts() === "1,1,1");
    one();
    await things.list();
    assert.equal(counts(), "1,1,1");
    two();
    await until("it is told of none", () => counts() === "0,0,0");
    const again = things.watch(deaf());
    await until("it is told of all three again", () => counts() === "1,1,1");
    again();
    await until("it is told of none again", () => counts() === "0,0,0");
  });

  it("who leaves before the house has agreed leaves nothing behind", async () => {
    const { home, things } = await open();
    things.watch(deaf())();
    // In the order of the wire: when this is answered, what was asked before it is done.
    await things.list();
    await until("it is told of none", () => EVENTS.every((type) => home.listeners(type) === 0));
  });

  it("asks for each list once, until the house says that it changed", async () => {
    const { things, wire, heard, asked } = await watched();
    await things.list();
    const first = asked().length;
    await Promise.all([things.list(), things.list()]);
    assert.equal(asked().length, first);
    const socket = await wire.login();
    await socket.result({ type: "config/area_registry/update", area_id: "bedroom", name: "Alcoba" });
    await rearranged(heard);
    await things.list();
    assert.deepEqual(asked().slice(first), ["config/area_registry/list"]);
  });
});

describe("things that nobody watches", () => {
  it("are asked for anew each time", async () => {
    const { things, wire, asked } = await open();
    await things.list();
    const socket = await wire.login();
    await socket.result({ type: "config/area_registry/update", area_id: "bedroom", name: "Alcoba" });
    assert.equal((await placeOf(things, BED))?.name, "Alcoba");
    assert.equal(asked().length, 6);
  });

  it("are asked for once by all who ask at the same time", async () => {
    const { things, asked } = await open();
    await Promise.all([things.list(), things.list(), things.list()]);
    assert.equal(asked().length, 3);
  });
});

describe("a house that", () => {
  it("refuses its lists is shown without areas", async () => {
    const { things } = await open({ refuses: LISTS });
    const listed = await things.list();
    assert.ok(listed.length > 5);
    assert.ok(listed.every(({ place }) => place === undefined));
  });

  it("does not know its lists yet is asked again, also while somebody watches", async () => {
    const { home, things } = await open({ refuses: LISTS });
    cleanups.push(things.watch(deaf()));
    assert.equal(await placeOf(things, BED), undefined);
    home.refused.clear();
    assert.equal((await placeOf(things, BED))?.name, "Bedroom");
  });

  it("refuses to tell of changes is asked anew each time", async () => {
    const { things, asked } = await open({ refuses: ["subscribe_events"] });
    things.watch(deaf());
    await things.list();
    await things.list();
    assert.equal(asked().length, 6);
  });

  it("is lost meanwhile does not leave anybody waiting", async () => {
    const { home, things } = await open();
    things.watch(deaf());
    home.mute(true);
    const listing = things.list();
    home.dropSockets();
    await assert.rejects(listing, { code: "SOURCE_UNAVAILABLE" });
    await assert.rejects(things.list(), { code: "SOURCE_UNAVAILABLE" });
  });
});

interface Opened {
  readonly home: SimulatedHome;
  readonly things: Things;
  readonly wire: WireClient;
  /** The lists that the house was asked for by us. */
  asked(): string[];
}

async function open(options: HomeOptions = {}): Promise<Opened> {
  const home = await startHomeAssistant(options);
  const { connection } = await connectHouse(home);
  const wire = new WireClient(home);
  cleanups.push(
    () => home.stop(),
    () => wire.close(),
    () => connection.close(),
  );
  const asked = (): string[] => home.commands.filter((type) => LISTS.includes(type));
  return { home, things: connection.things ?? assert.fail(), wire, asked };
}

/** With all that was heard: ids, and "rearranged". */
async function watched(): Promise<Opened & { readonly heard: string[] }> {
  const opened = await open();
  const heard: string[] = [];
  const unwatch = opened.things.watch({
    changed: (ids) => void heard.push(...ids),
    rearranged: () => void heard.push("rearranged"),
  });
  cleanups.push(unwatch);
  await until("the house has agreed", () => EVENTS.every((type) => opened.home.listeners(type) === 1));
  return { ...opened, heard };
}

function deaf(): Parameters<Things["watch"]>[0] {
  return { changed: () => {}, rearranged: () => {} };
}

async function rearranged(heard: string[]): Promise<void> {
  await until("it is told", () => heard.includes("rearranged"));
  heard.length = 0;
}

async function placeOf(things: Things, id: string) {
  return (await things.list()).find(({ thing }) => thing.id === id)?.place;
}
