import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeDiscovery, judgeRefusal, refusesHandshakes } from "./discovery.ts";

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
