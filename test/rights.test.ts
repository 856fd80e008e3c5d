/** The table of rights: what is declared, what is documented and what is described are the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { RIGHTS } from "../src/contract/operation.ts";
import { DOORS } from "../src/doors/index.ts";
import { openDoors } from "./support/open-doors.ts";
import { type RightRow, shownRights, tableOfRights } from "./support/rights-table.ts";

/** Whatever is not read, and needs no administrator: all of it calls, or ends what the caller has begun. */
const CALLING = [
  /^(?:POST|DELETE) (?:\/servers\/\{name\}|\/agents\/\{agent\})?\/mcp$/,
  /^POST (?:\/servers\/\{name\}|\/agents\/\{agent\})?\/messages$/,
  /^POST \/$/,
  /^POST \/mcp\/(?:initialize|tools\/list|tools\/call|resources\/\w+|resources\/templates\/list|prompts\/\w+)$/,
  /^DELETE \/mcp\/session$/,
  /^POST (?:\/api\/tools\/execute|\/openapi\/tools\/\{tool\})$/,
  /^DELETE \/calls\/\{id\}$/,
];

describe("the table of rights", () => {
  let table: readonly RightRow[];
  before(async () => {
    table = await tableOfRights();
  });

  it("has a right that is known for every route of every door", () => {
    assert.ok(table.length > 100, `${table.length}`);
    assert.deepEqual(
      table.filter(({ needs }) => !Object.hasOwn(RIGHTS, needs)),
      [],
    );
  });

  it("leaves every change of what others use to administrators", () => {
    const others = table.filter(({ method, needs }) => method !== "GET" && method !== "WS" && needs !== "admin");
    const places = others.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(
      places.filter((place) => !CALLING.some((calling) => calling.test(place))),
      [],
    );
    assert.deepEqual(
      CALLING.filter((calling) => !places.some((place) => calling.test(place))),
      [],
    );
  });

  it("is in docs/rights.md as it is ('npm run generate' renews that)", () => {
    assert.equal(readFileSync(new URL("../docs/rights.md", import.meta.url), "utf8"), shownRights(table));
  });

  it("is in /openapi.json, for every operation there", async () => {
    const doors = await openDoors(DOORS);
    const { json } = await doors.ask("/openapi.json");
    await doors.close();
    const paths = json["paths"] as Record<string, Record<string, { "x-needs": string; description: string }>>;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, told]) => ({ path, method: method.toUpperCase(), told })),
    );
    assert.ok(described.length > 60, `${described.length}`);
    for (const { path, method, told } of described) {
      const row = table.find((one) => one.method === method && one.path === path);
      assert.equal(told["x-needs"], row?.needs, `${method} ${path}`);
      assert.ok(row && told.description.endsWith(RIGHTS[row.needs]), told.description);
    }
  });
});
