/** `/cluster/nodes` over a real port. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { aClusterApi, NODE } from "../../../test/support/cluster-api.ts";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { ZaguanError } from "../../errors.ts";
import type { ClusterApi } from "./cluster-api.ts";
import { cluster } from "./index.ts";

let doors: OpenDoors;
afterEach(() => doors.close());

async function open(api?: ClusterApi): Promise<void> {
  doors = await openDoors([cluster], { context: { cluster: api } });
}

describe("the nodes of a cluster", () => {
  it("are shown as they tell of themselves, with those that did not answer", async () => {
    await open(aClusterApi({}));
    const { status, json } = await doors.ask("/cluster/nodes");
    assert.equal(status, 200);
    assert.deepEqual(json, { node: "uno", nodes: [NODE], missing: ["dos"], unheld: [] });
  });

  it("are drained and used again by administrators", async () => {
    const asked: unknown[] = [];
    const drain: ClusterApi["drain"] = async (...given) => asked.push(given) > 0;
    await open(aClusterApi({ drain }));
    for (const method of ["POST", "DELETE"]) {
      assert.equal((await doors.ask("/cluster/nodes/dos/drain", { method })).status, 204);
      const refused = await doors.ask("/cluster/nodes/dos/drain", { method, headers: { "x-api-key": "bob" } });
      assert.equal(refused.status, 403);
    }
    assert.deepEqual(asked, [
      ["dos", true],
      ["dos", false],
    ]);
  });

  it("that are none, or do not answer, are told so", async () => {
    const unavailable = new ZaguanError("NODE_UNAVAILABLE", { params: { node: "tres" } });
    await open(aClusterApi({ drain: async (node) => (node === "tres" ? Promise.reject(unavailable) : false) }));
    const drained = async (node: string) => (await doors.ask(`/cluster/nodes/${node}/drain`, { method: "POST" })).json;
    const [unknown, silent] = [await drained("nobody"), await drained("tres")];
    assert.deepEqual([unknown["status"], unknown["code"]], [404, "NO_SUCH"]);
    assert.deepEqual([silent["status"], silent["code"]], [503, "NODE_UNAVAILABLE"]);
  });

  it("are none where a hub is by itself", async () => {
    await open();
    assert.deepEqual((await doors.ask("/cluster/nodes")).json, { nodes: [], missing: [], unheld: [] });
    assert.equal((await doors.ask("/cluster/nodes/uno/drain", { method: "POST" })).status, 404);
  });
});
