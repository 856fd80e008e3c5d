import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { addTool } from "./index.ts";

test("a module that no hub has loaded is checked all the same, and told that nobody offers it", async () => {
  const told = once(process, "warning");
  addTool({ name: "alone", description: "d", handler: () => true });
  const [warning] = (await told) as [Error];
  assert.match(warning.message, /^addTool\("alone"\): no hub reads this module/);
  assert.throws(() => addTool({ name: "not good", description: "d", handler: () => true }), /the name must be/);
});
