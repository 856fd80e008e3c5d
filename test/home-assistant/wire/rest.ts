/** The REST API: states, services, what a call answers, and how little a refusal says. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BEHIND_LAMP, type House, LAMP } from "../support/house.ts";
import { Rest, type State } from "../support/rest.ts";

export function restApi(house: House): void {
  describe("REST", () => {
    test("answers a wrong token with 401 in plain text", async () => {
      const { status, type, body } = await new Rest({ ...house.home, token: "wrong" }).get("/api/");
      assert.deepEqual([status, type, body], [401, "text/plain; charset=utf-8", "401: Unauthorized"]);
    });

    test("tells its version and that it is running", async () => {
      const { version, state, recovery_mode } = (await house.rest.get("/api/config")).body as Record<string, unknown>;
      assert.deepEqual(
        { version, state, recovery_mode },
        { version: "2024.3.3", state: "RUNNING", recovery_mode: false },
      );
      assert.deepEqual((await house.rest.get("/api/core/state")).body, { state: "RUNNING" });
    });

    test("gives a state with its attributes, times and context", async () => {
      const state = await house.rest.state(LAMP);
      const fields = ["entity_id", "state", "attributes", "last_changed", "last_updated", "context"];
      assert.deepEqual(Object.keys(state), fields);
      assert.equal(state.attributes?.["friendly_name"], "Lampe Salon");
      assert.deepEqual(Object.keys(state.context ?? {}), ["id", "parent_id", "user_id"]);
    });

    test("has the demo house: over a hundred states", async () => {
      const states = (await house.rest.get("/api/states")).body as State[];
      assert.ok(states.length > 100, `${states.length}`);
    });

    test("answers 404 for an entity that is not there", async () => {
      const { status, body } = await house.rest.get("/api/states/light.nowhere");
      assert.deepEqual([status, body], [404, { message: "Entity not found." }]);
    });

    test("names both states that a template light changes, with one context", async () => {
      for (const to of ["on", "off"] as const) {
        const changed = (await house.switchLamp(to)).body as State[];
        assert.deepEqual(
          changed.map(({ entity_id, state }) => [entity_id, state]),
          [
            [BEHIND_LAMP, to],
            [LAMP, to],
          ],
        );
        assert.equal(new Set(changed.map(({ context }) => context.id)).size, 1);
        assert.equal((await house.rest.state(LAMP)).state, to);
      }
    });

    test("names an entity twice that changes twice while the call runs", async () => {
      const entity_id = "lock.poorly_installed_door";
      const changed = (await house.rest.post("/api/services/lock/unlock", { entity_id })).body as State[];
      assert.deepEqual(
        changed.map((state) => [state.entity_id, state.state]),
        [
          [entity_id, "unlocking"],
          [entity_id, "unlocked"],
        ],
      );
    });

    test("names nothing if nothing changed, and does not mind an entity that is not there", async () => {
      await house.switchLamp("off");
      assert.deepEqual((await house.switchLamp("off")).body, []);
      const { status, body } = await house.rest.post("/api/services/light/turn_on", { entity_id: "light.nowhere" });
      assert.deepEqual([status, body], [200, []]);
    });

    test("says no more than 400 of a service or data that it does not know, and 500 of a service that fails", async () => {
      const unknown = await house.rest.post("/api/services/light/nope", { entity_id: LAMP });
      const unfit = await house.rest.post("/api/services/light/turn_on", { entity_id: LAMP, brightness: "bright" });
      for (const { status, body } of [unknown, unfit]) assert.deepEqual([status, body], [400, "400: Bad Request"]);
      const bad = { entity_id: "climate.ecobee", preset_mode: "nope" };
      const failing = await house.rest.post("/api/services/climate/set_preset_mode", bad);
      assert.deepEqual([failing.status, failing.type], [500, "text/plain; charset=utf-8"]);
    });

    test("lists services as an array", async () => {
      const domains = (await house.rest.get("/api/services")).body as {
        domain: string;
        services: Record<string, object>;
      }[];
      assert.ok(Array.isArray(domains));
      const light = domains.find(({ domain }) => domain === "light");
      assert.deepEqual(Object.keys(light?.services["turn_on"] ?? {}), ["name", "description", "fields", "target"]);
    });

    test("wants a state posted to be new (201) or not (200), and says when one is gone", async () => {
      const path = "/api/states/sensor.posted";
      assert.equal((await house.rest.post(path, { state: "1" })).status, 201);
      assert.equal((await house.rest.post(path, { state: "2" })).status, 200);
      assert.deepEqual((await house.rest.delete(path)).body, { message: "Entity removed." });
      assert.equal((await house.rest.delete(path)).status, 404);
    });
  });
}
