/**
 * A real Home Assistant as people see it: its entities by area, at `GET /house` and as `GET /events` tells of them while areas
 * are renamed and things moved. What is right is asked of Home Assistant itself. The tests share one house.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { HOME_ASSISTANT_VERSION } from "../../scripts/home-assistant.ts";
import type { Message } from "../support/line-rpc.ts";
import { LiveEvents } from "../support/live-events.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { askUntil } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { House } from "./support/house.ts";
import type { HouseSocket } from "./support/house-socket.ts";
import { describeWithRealHome } from "./support/real-home-only.ts";
import type { State } from "./support/rest.ts";

const BED = "light.bed_light";

describeWithRealHome(`the areas of Home Assistant ${HOME_ASSISTANT_VERSION}`, () => {
  const house = new House();
  let hub: SpawnedZaguan;
  before(async () => {
    await house.open();
    const { url, token } = house.home;
    hub = await spawnZaguan({ config: { homeAssistant: { url, token } } });
  });
  after(async () => {
    await hub?.stop();
    await house.close();
  });

  const shown = async (): Promise<Message> => {
    const { body } = await new RegistryClient(hub.url).get("/house");
    return body.homes[0] ?? {};
  };

  test("are shown with all entities that are for people to see", async () => {
    const home = await askUntil("the house is connected", shown, ({ state }) => state === "ready");
    const states = (await house.rest.get("/api/states")).body as State[];
    await house.withSocket(async (socket) => {
      const entries = new Map((await listed(socket, "entity")).map((entry) => [entry.entity_id, entry]));
      const isShown = ({ entity_id }: State): boolean => {
        const { hidden_by = null, entity_category = null } = entries.get(entity_id) ?? {};
        return hidden_by === null && entity_category === null;
      };
      const expected = states.filter(isShown).map(({ entity_id }) => entity_id);
      assert.ok(expected.length > 50 && expected.length < states.length, `${expected.length} of ${states.length}`);
      const ids = home.areas.flatMap(({ entities }: Message) => entities.map(({ id }: Message) => id));
      assert.deepEqual(ids.sort(), expected.sort());
      assert.equal(home.more, 0);
    });
  });

  test("are told anew when an entity or its device moves, and when an area has another name", async () => {
    const live = await LiveEvents.open(hub.url);
    try {
      await house.withSocket(async (socket) => {
        const { device_id } = (await listed(socket, "entity")).find(({ entity_id }) => entity_id === BED);
        await socket.ask("config/device_registry/update", { device_id, area_id: "kitchen" });
        await live.next("it stands where its device does", "home", has("Kitchen", BED));
        await socket.ask("config/entity_registry/update", { entity_id: BED, area_id: "bedroom" });
        await live.next("it has an area of its own", "home", has("Bedroom", BED));
        await socket.ask("config/area_registry/update", { area_id: "bedroom", name: "Alcoba" });
        await live.next("the area has another name", "home", has("Alcoba", BED));
        await socket.ask("config/entity_registry/update", { entity_id: BED, hidden_by: "user" });
        await live.next("it is hidden", "home", (told) => told.home !== undefined && !has("", BED)(told));
        await socket.ask("config/entity_registry/update", { entity_id: BED, hidden_by: null });
      });
      assert.ok(has("Alcoba", BED)({ home: await askUntil("it is shown", shown, (home) => has("", BED)({ home })) }));
    } finally {
      live.leave();
    }
  });

  test("are brought up to date entity by entity", async () => {
    const live = await LiveEvents.open(hub.url);
    try {
      await live.next("it is told whole", "home", (told) => told.home !== undefined);
      await house.rest.post("/api/services/light/turn_on", { entity_id: BED });
      const isOn = ({ entities = [] }: Message): boolean =>
        entities.some(({ id, state }: Message) => id === BED && state === "on");
      await live.next("it is on", "home", isOn);
    } finally {
      live.leave();
    }
  });

  test("are back when it has been killed and started again", async () => {
    await until("it has written where the lamp stands", () => stored().includes('"area_id":"bedroom"'), 60_000);
    const live = await LiveEvents.open(hub.url);
    try {
      await house.home.kill();
      await live.next("it is away", "home", ({ home }) => home?.state === "broken" && home.areas.length === 0);
      live.forget();
      await house.home.start();
      await live.next("the lamp stands where it stood", "home", has("", BED, "bedroom"), 60_000);
    } finally {
      live.leave();
    }
  });

  /** What is kept of its entities, without blanks; written some ten seconds after a change. */
  function stored(): string {
    const file = join(house.home.configDir, ".storage", "core.entity_registry");
    return existsSync(file) ? readFileSync(file, "utf8").replace(/\s/g, "") : "";
  }
});

async function listed(socket: HouseSocket, kind: string): Promise<Message[]> {
  return (await socket.ask(`config/${kind}_registry/list`)).result as Message[];
}

/** Whether a whole home has this entity in the area of this name, or of this id; "": in any. */
function has(area: string, entity: string, areaId = ""): (told: Message) => boolean {
  const isIt = ({ id, name }: Message): boolean => (area === "" || name === area) && (areaId === "" || id === areaId);
  return ({ home }) =>
    home?.areas.filter(isIt).some(({ entities }: Message) => entities.some(({ id }: Message) => id === entity)) ??
    false;
}
