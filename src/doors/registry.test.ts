import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDoors } from "../../test/support/open-doors.ts";
import type { SourceSummary } from "./door.ts";
import { registry } from "./registry.ts";

const SOURCE: SourceSummary = {
  ...{ name: "tv", kind: "http", state: "ready", transport: "http", tools: 3, restarts: 0, lastError: null, log: [] },
  lastSeenUtc: "2026-11-15T00:00:00.000Z",
};

describe("GET /mcp/servers", () => {
  it("lists what is attached to who has a key", async () => {
    const doors = await openDoors([registry], { status: { sources: [SOURCE] } });
    assert.deepEqual((await doors.ask("/mcp/servers?x=1")).json, [SOURCE]);
    assert.equal((await doors.ask("/mcp/servers", { headers: { "x-api-key": "wrong" } })).status, 401);
    assert.equal((await doors.ask("/mcp/servers", { method: "POST" })).headers.allow, "GET");
    await doors.close();
  });
});
