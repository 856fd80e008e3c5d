/** What may be removed from the page, and what it says otherwise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { removalOf } from "./removal.ts";

test("what was registered or imported is removed where it is kept", () => {
  assert.deepEqual(removalOf("a b", "registered", false), { path: "/mcp/servers/a%20b" });
  assert.deepEqual(removalOf("sky", "api", true), { path: "/admin/apis/sky" });
});

test("everything else says why not", () => {
  assert.deepEqual(removalOf("sky", "api", false), { why: "api" });
  for (const origin of ["configured", "built-in", "device"] as const) {
    assert.deepEqual(removalOf("x", origin, false), { why: origin });
  }
});
