/** Automations: made, replaced, switched and removed over REST. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BEHIND_LAMP, type House, holds } from "../support/house.ts";
import type { State } from "../support/rest.ts";

export function automations(house: House): void {
  describe("automations", () => {
    const path = "/api/config/automation/config/evening";
    const entity = "automation.salon_le_soir";
    const automation = {
      alias: "Salon le soir",
      trigger: [{ platform: "state", entity_id: BEHIND_LAMP, to: "on" }],
      action: [{ service: "light.turn_on", target: { entity_id: "light.bed_light" } }],
    };

    /** It answers before it has loaded them again; until then there is no entity, or still the old one. */
    const shown = (name: string): Promise<void> =>
      holds(async () => (await house.rest.state(entity)).attributes?.["friendly_name"] === name);

    test("are made by a POST to an id of the caller's choosing, and named after their alias", async () => {
      const { status, body } = await house.rest.post(path, automation);
      assert.deepEqual([status, body], [200, { result: "ok" }]);
      await shown("Salon le soir");
      const { state, attributes } = await house.rest.state(entity);
      assert.deepEqual([state, attributes?.["id"]], ["on", "evening"]);
      assert.deepEqual((await house.rest.get(path)).body, { id: "evening", ...automation });
    });

    test("keep their entity when they are replaced", async () => {
      await house.rest.post(path, { ...automation, alias: "Renamed" });
      await shown("Renamed");
    });

    test("are turned off and on by a service", async () => {
      for (const to of ["off", "on"]) {
        const changed = (await house.rest.post(`/api/services/automation/turn_${to}`, { entity_id: entity }))
          .body as State[];
        assert.deepEqual(
          changed.map(({ entity_id, state }) => [entity_id, state]),
          [[entity, to]],
        );
      }
    });

    test("are refused with the reason", async () => {
      const refused = async (unfit: object): Promise<unknown> => (await house.rest.post(`${path}-2`, unfit)).body;
      const { trigger, action, alias } = automation;
      const missing = "Message malformed: required key not provided @ data['trigger']";
      assert.deepEqual(await refused({ alias, action }), { message: missing });
      const newNames = "Message malformed: extra keys not allowed @ data['triggers']";
      assert.deepEqual(await refused({ alias, triggers: trigger, actions: action }), { message: newNames });
    });

    test("are removed by a DELETE", async () => {
      assert.deepEqual((await house.rest.delete(path)).body, { result: "ok" });
      assert.equal((await house.rest.get(`/api/states/${entity}`)).status, 404);
      assert.equal((await house.rest.get(path)).status, 404);
    });
  });
}
