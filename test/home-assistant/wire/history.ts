/** The history that the recorder keeps, over REST. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BEHIND_LAMP, type House, holds, LAMP } from "../support/house.ts";
import type { State } from "../support/rest.ts";

export function history(house: House): void {
  describe("history", () => {
    test("wants to know of which entities", async () => {
      const { status, body } = await house.rest.get("/api/history/period");
      assert.deepEqual([status, body], [400, { message: "filter_entity_id is missing" }]);
    });

    test("wants a time that is one", async () => {
      const { status, body } = await house.rest.get(`/api/history/period/yesterday?filter_entity_id=${LAMP}`);
      assert.deepEqual([status, body], [400, { message: "Invalid datetime" }]);
    });

    test("is an array for each entity, and has a change within seconds", async () => {
      const since = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
      await house.switchLamp("on");
      await house.switchLamp("off");
      const path = `/api/history/period/${since}?filter_entity_id=${LAMP},${BEHIND_LAMP}`;
      const wellKnown = (states: readonly State[]): boolean =>
        states.at(-1)?.state === "off" && states.some(({ state }) => state === "on");
      let lists: State[][] = [];
      // It is written every few seconds, and read from what is written.
      await holds(async () => {
        lists = (await house.rest.get(path)).body as State[][];
        return lists.length === 2 && lists.every(wellKnown);
      });
      assert.deepEqual(
        lists.map(([first]) => first?.entity_id),
        [LAMP, BEHIND_LAMP],
      );
    });

    test("is empty for an entity that never was", async () => {
      const { status, body } = await house.rest.get("/api/history/period?filter_entity_id=light.nowhere");
      assert.deepEqual([status, body], [200, []]);
    });
  });
}
