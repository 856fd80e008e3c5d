import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openApisInMemory } from "../../test/support/open-apis.ts";
import { ADMIN } from "../../test/support/registry-ports.ts";
import type { ApiTable } from "../store/apis.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example.org" }],
  paths: { "/pets": { get: { responses: {} } } },
});

/** Whoever reads first is held with what was found until the gate opens; all others pass. */
function holdFirstReader(table: ApiTable, method: "list" | "tools"): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const read: (...given: string[]) => Promise<unknown> = table[method].bind(table);
  let isFirst = true;
  const held = async (...given: string[]): Promise<unknown> => {
    const mustWait = isFirst;
    isFirst = false;
    const found = await read(...given);
    if (mustWait) await promise;
    return found;
  };
  Object.assign(table, { [method]: held });
  return resolve;
}

describe("bringing what is kept under the hub", () => {
  for (const reading of ["list", "tools"] as const) {
    it(`does not bring back what is removed while it reads (${reading})`, async () => {
      const apis = await openApisInMemory();
      await apis.imports.create({ document: DOCUMENT }, ADMIN);
      const release = holdFirstReader(apis.store.apis, reading);
      const attaching = apis.attachAll();
      const removing = apis.imports.remove("pets");
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      release();
      await Promise.all([attaching, removing]);
      assert.deepEqual([...apis.attached.keys()], []);
      await apis.store.close();
    });
  }
});
