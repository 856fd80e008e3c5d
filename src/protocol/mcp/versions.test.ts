import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  HANDSHAKE_VERSIONS,
  isHandshakeVersion,
  isModernVersion,
  LATEST_HANDSHAKE_VERSION,
  LATEST_MODERN_VERSION,
  negotiate,
  SUPPORTED_VERSIONS,
} from "./versions.ts";

describe("the revisions with a handshake", () => {
  it("are the four of 2024 and 2025, newest first", () => {
    assert.deepEqual([...HANDSHAKE_VERSIONS], ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
    assert.equal(LATEST_HANDSHAKE_VERSION, "2025-11-25");
  });

  for (const version of HANDSHAKE_VERSIONS) {
    it(`${version} is answered with itself`, () => assert.equal(negotiate(version), version));
  }

  for (const other of [
    "2026-07-28",
    "2024-10-07",
    "1.0",
    "",
    " 2025-06-18",
    undefined,
    null,
    20250618,
    ["2025-06-18"],
  ]) {
    it(`${JSON.stringify(other)} is answered with our newest`, () => {
      assert.equal(isHandshakeVersion(other), false);
      assert.equal(negotiate(other), "2025-11-25");
    });
  }
});

describe("the revision without a handshake", () => {
  it("is the one of 2026, and stands before the others where all are named", () => {
    assert.equal(LATEST_MODERN_VERSION, "2026-07-28");
    assert.deepEqual(SUPPORTED_VERSIONS, ["2026-07-28", ...HANDSHAKE_VERSIONS]);
  });

  for (const other of ["2025-11-25", "2026-07-29", "2027-01-01", "", undefined, 20260728]) {
    it(`is not ${JSON.stringify(other)}`, () => assert.equal(isModernVersion(other), false));
  }
});
