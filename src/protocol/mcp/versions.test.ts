import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  HANDSHAKE_VERSIONS,
  isHandshakeVersion,
  isModernVersion,
  judgeDiscovery,
  judgeRefusal,
  LATEST_HANDSHAKE_VERSION,
  LATEST_MODERN_VERSION,
  negotiate,
  refusesHandshakes,
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

describe("the answer to the newer era's greeting", () => {
  it("is one if it names a revision that we speak", () => {
    assert.equal(judgeDiscovery({ supportedVersions: ["2099-01-01", "2026-07-28"] }), "modern");
    for (const other of [
      { supportedVersions: ["2025-11-25"] },
      { supportedVersions: "2026-07-28" },
      {},
      null,
      "hi",
      [],
    ]) {
      assert.equal(judgeDiscovery(other), "handshake", JSON.stringify(other));
    }
  });

  const errors: readonly (readonly [code: number, supported: unknown, verdict: string])[] = [
    [-32601, undefined, "handshake"],
    [-32602, undefined, "handshake"],
    [-32000, ["2026-07-28"], "handshake"],
    [-32022, undefined, "handshake"],
    [-32022, [], "handshake"],
    [-32022, ["2025-11-25"], "handshake"],
    [-32022, ["2099-01-01", "2025-06-18"], "handshake"],
    [-32022, ["2026-07-28"], "modern"],
    [-32022, ["2099-01-01"], "neither"],
    [-32020, undefined, "handshake"],
  ];
  for (const [code, supported, verdict] of errors) {
    it(`${code} with ${JSON.stringify(supported)} says ${verdict}`, () => {
      assert.equal(judgeRefusal({ code, data: { supported } }), verdict);
    });
  }

  it("may be an error with nothing to it", () => {
    for (const data of [undefined, null, "x", 7]) assert.equal(judgeRefusal({ code: -32022, data }), "handshake");
  });
});

it("a refused handshake may be that of a server that knows the newer era alone", () => {
  assert.equal(refusesHandshakes({ code: -32022, data: { supported: ["2026-07-28"] } }, false), true);
  assert.equal(refusesHandshakes({ code: -32022 }, false), true);
  assert.equal(refusesHandshakes({ code: -32022, data: { supported: ["2099-01-01"] } }, true), false);
  assert.equal(refusesHandshakes({ code: -32601 }, true), true);
  assert.equal(refusesHandshakes({ code: -32601 }, false), false, "it did not know the newer greeting either");
  assert.equal(refusesHandshakes({ code: -32603 }, true), false);
});
