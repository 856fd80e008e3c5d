import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDoors } from "../../test/support/open-doors.ts";
import { health } from "./health.ts";

const SOURCE = {
  ...{ name: "tv", kind: "stdio", state: "broken", transport: "stdio", tools: 3, restarts: 5, lastSeenUtc: null },
  lastError: "cannot read /home/me/.token",
  log: ["password=secret"],
};

describe("GET /health", () => {
  it("tells everybody that the hub answers and how its sources are, but neither reasons nor logs", async () => {
    const doors = await openDoors([health], { status: { uptimeSeconds: 7, callsInFlight: 2, sources: [SOURCE] } });
    const { status, json } = await doors.ask("/health", { headers: { "x-api-key": "wrong" } });
    assert.equal(status, 200);
    assert.deepEqual(json, {
      status: "healthy",
      version: "9.9.9",
      uptimeSeconds: 7,
      callsInFlight: 2,
      sources: [{ name: "tv", kind: "stdio", state: "broken", tools: 3 }],
    });
    await doors.close();
  });
});
