import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../json/payload.ts";
import { askable, capabilityFor } from "./client-capabilities.ts";

describe("what a client must have declared", () => {
  it("for each of the three things that clients can be asked", () => {
    assert.deepEqual(["sampling/createMessage", "elicitation/create", "roots/list"].map(capabilityFor), [
      "sampling",
      "elicitation",
      "roots",
    ]);
  });

  it("is nothing that would help, for anything else", () => {
    for (const method of ["ping", "tools/call", "sampling", "", "constructor", "__proto__"]) {
      assert.equal(capabilityFor(method), undefined);
    }
  });
});

describe("what a client declared", () => {
  it("counts where it is an object, empty or not", () => {
    const declared = { sampling: {}, elicitation: { url: {} }, roots: { listChanged: true }, experimental: {} };
    assert.deepEqual(askable(Payload.ofValue(declared)), ["sampling", "elicitation", "roots"]);
    assert.deepEqual(askable(Payload.ofValue({ roots: {} })), ["roots"]);
  });

  for (const odd of [{}, { sampling: true, elicitation: null, roots: "yes" }, null, "sampling", 1, []]) {
    it(`is nothing in ${JSON.stringify(odd)}`, () => {
      assert.deepEqual(askable(Payload.ofValue(odd)), []);
    });
  }
});
