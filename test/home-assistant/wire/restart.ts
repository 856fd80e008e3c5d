/** What a client sees of a house that is killed and comes back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type House, LAMP } from "../support/house.ts";
import { HouseSocket } from "../support/house-socket.ts";

export function restart(house: House): void {
  describe("killed and started again", () => {
    test("cuts its sockets, refuses, and is the same house with the same token after", async () => {
      await house.rest.post("/api/config/automation/config/kept", { alias: "Kept", trigger: [], action: [] });
      const socket = await HouseSocket.authenticated(house.home);
      await house.home.kill();
      assert.equal(await socket.closed, 1006);
      await assert.rejects(house.rest.get("/api/"));
      await house.home.start();
      assert.deepEqual((await house.rest.get("/api/")).body, { message: "API running." });
      assert.equal((await house.rest.state("automation.kept")).state, "on");
      assert.equal((await house.rest.state(LAMP)).state, "off");
    });
  });
}
