/** Lists of servers, and who finds what by a search. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { newServer } from "../../../test/contract/registry-fixtures.ts";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import type { Principal } from "../../core/call.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { Store } from "../../store/store.ts";
import type { DoorContext } from "../door.ts";
import { restDoor } from "../rest/route.ts";
import { serverRoutes } from "./servers.ts";

const PLAIN: Principal = { id: "key:k", kind: "key", name: "k" };
const LIMITED: Principal = { ...PLAIN, allow: ["lights__on"] };

describe("a search in the list of servers", () => {
  let store: Store;
  let doors: OpenDoors;
  let principal: Principal;

  beforeEach(async () => {
    store = await openSqliteStore(":memory:");
    const registry = { tables: store.registry } as DoorContext["registry"];
    doors = await openDoors([(context) => restDoor(context, "servers", serverRoutes(context))], {
      registry,
      authenticate: async () => principal,
    });
    const known = { title: "Cellar lights", description: "Of the caf\u00e9 below", lastError: "refused by 10.1.2.3" };
    await store.registry.servers.create(newServer("lights", { ...known, baseUrl: "http://10.1.2.3:8080/mcp" }));
    await store.registry.servers.create(newServer("other", { title: "Other", baseUrl: "http://10.1.2.4/mcp" }));
  });
  afterEach(async () => {
    await doors.close();
    await store.close();
  });

  const found = async (who: Principal, search: string): Promise<[names: string[], total: unknown]> => {
    principal = who;
    const { text, headers } = await doors.ask(`/mcp/servers?search=${encodeURIComponent(search)}`);
    const rows = JSON.parse(text) as { readonly slug: string }[];
    return [rows.map(({ slug }) => slug), headers["x-total-count"]];
  };

  it("finds whoever may see addresses the servers by these", async () => {
    assert.deepEqual(await found(PLAIN, "10.1."), [["lights", "other"], "2"]);
    assert.deepEqual(await found(PLAIN, "MCP 10.1.2.3"), [["lights"], "1"]);
  });

  it("tells a limited key by no row and no count what is hidden from it", async () => {
    doors.gateway.isReachable = (name) => name === "lights";
    for (const hidden of ["10.", "10.1", "8080", "http", "refused", "lights 10.1", "null"]) {
      assert.deepEqual(await found(LIMITED, hidden), [[], "0"], hidden);
    }
    for (const shown of ["", "lights", "BELOW", "below cellar", "lights CAFE\u0301"]) {
      assert.deepEqual(await found(LIMITED, shown), [["lights"], "1"], shown);
    }
    assert.deepEqual(await found(LIMITED, "other"), [[], "0"]);
  });
});
