/**
 * The tools of a real Home Assistant with a model's eyes: what it is told, and how briefly. Home Assistant itself passes over
 * entities and areas that it does not know, and says that all went well. The tests share one house.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOME_ASSISTANT_VERSION } from "../../scripts/home-assistant.ts";
import {
  assertAreaOff,
  assertLampsOffInBrief,
  assertNothingChanged,
  assertServicesInBrief,
  assertUnknownIsNamed,
  tell,
} from "../support/house-answers.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { untilListed } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { House } from "./support/house.ts";
import { describeWithRealHome } from "./support/real-home-only.ts";

const [BED, CEILING] = ["light.bed_light", "light.ceiling_lights"];

describeWithRealHome(`what a model is told of Home Assistant ${HOME_ASSISTANT_VERSION}`, () => {
  const house = new House();
  let hub: SpawnedZaguan;
  let http: RegistryClient;
  before(async () => {
    await house.open();
    const { url, token } = house.home;
    hub = await spawnZaguan({ config: { homeAssistant: { url, token } } });
    http = new RegistryClient(hub.url);
    await untilListed(http, "get_entities");
  });
  after(async () => {
    await hub?.stop();
    await house.close();
  });

  test("how many entities there are beyond those that are shown", async () => {
    const { text, data } = await tell(http, "get_entities");
    assert.ok(data.total > 100, String(data.total));
    assert.ok(text.includes(`\n50 of ${data.total} entities are shown. The next ones: offset 50.`), text.slice(-300));
    const rest = (await tell(http, "get_entities", { offset: 50, limit: 1_000 })).data.entities;
    assert.equal(rest.length, data.total - 50);
  });

  test("all lamps off, in two kilobytes", async (t) => {
    t.diagnostic(`${await assertLampsOffInBrief(http)} bytes`);
  });

  test("the services of each domain, in ten", async (t) => {
    const sizes = [...(await assertServicesInBrief(http))].sort(([, a], [, b]) => b - a).slice(0, 3);
    t.diagnostic(sizes.map(([domain, bytes]) => `${domain}: ${bytes} bytes`).join(", "));
  });

  test("which entity of a list is unknown", () => assertUnknownIsNamed(http, BED));
  test("that nothing changed", () => assertNothingChanged(http, BED));

  test("what was switched off in an area, by its name and by a device in it", async () => {
    await house.withSocket(async (socket) => {
      const entries = (await socket.ask("config/entity_registry/list")).result as {
        entity_id: string;
        device_id: string;
      }[];
      const device_id = entries.find(({ entity_id }) => entity_id === CEILING)?.device_id;
      await socket.ask("config/entity_registry/update", { entity_id: BED, area_id: "bedroom" });
      await socket.ask("config/device_registry/update", { device_id, area_id: "bedroom" });
      await assertAreaOff(http, "Bedroom", [BED, CEILING]);
      await tell(http, "call_service", { domain: "light", service: "turn_on", target: { device_id } });
      assert.equal((await house.rest.state(CEILING)).state, "on");
    });
  });

  test("what was set, where the state stays the same", async () => {
    const args = {
      domain: "climate",
      service: "set_temperature",
      entity_id: "climate.heatpump",
      data: { temperature: 23 },
    };
    const [changed] = (await tell(http, "call_service", args)).data.changed_states;
    assert.deepEqual(changed, { entity_id: "climate.heatpump", state: "heat", attributes: { temperature: 23 } });
  });
});
