import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BusError } from "./bus-error.ts";

describe("why a bus cannot be opened", () => {
  it("keeps what was behind it for the log, and claims no cause where there was none", () => {
    const cause = new Error("ECONNREFUSED");
    const error = new BusError("unreachable", "nobody listens", cause);
    assert.deepEqual([error.name, error.kind, error.message], ["BusError", "unreachable", "nobody listens"]);
    assert.equal(error.cause, cause);
    assert.equal("cause" in new BusError("name", "it is empty"), false);
  });
});
