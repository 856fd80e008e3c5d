import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAtLeast, isLogLevel } from "./log-level.ts";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

describe("a log level", () => {
  it("is one of the eight of syslog, spelled exactly so", () => {
    assert.deepEqual(LEVELS.filter(isLogLevel), LEVELS);
    for (const other of ["Info", "warn", "", " info", "constructor", null, undefined, 3, ["info"]]) {
      assert.equal(isLogLevel(other), false);
    }
  });

  it("is wanted from the least severe one that was asked for", () => {
    for (const least of LEVELS) {
      const wanted = LEVELS.filter((level) => isAtLeast(level, least));
      assert.deepEqual(wanted, LEVELS.slice(LEVELS.indexOf(least)));
    }
  });

  it("is wanted where nobody knows how severe it is", () => {
    for (const odd of ["fatal", undefined, null, 7]) assert.equal(isAtLeast(odd, "emergency"), true);
  });
});
