import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../json/payload.ts";
import { askable, capabilityFor, isAtLeast, isLogLevel, mayBeAsked } from "./client-capabilities.ts";

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

describe("whether a client may be asked", () => {
  const cases: readonly (readonly [declared: object, method: string, params: object, may: boolean])[] = [
    [{ roots: {} }, "roots/list", {}, true],
    [{ roots: {} }, "roots/list", { mode: "url" }, true],
    [{ roots: {} }, "sampling/createMessage", {}, false],
    [{ roots: {} }, "tools/list", {}, false],
    [{ elicitation: {} }, "elicitation/create", {}, true],
    [{ elicitation: {} }, "elicitation/create", { mode: "form" }, true],
    [{ elicitation: {} }, "elicitation/create", { mode: "url" }, false],
    [{ elicitation: { url: {} } }, "elicitation/create", { mode: "url" }, true],
    [{ elicitation: {} }, "elicitation/create", { tools: [] }, true],
    [{ sampling: {} }, "sampling/createMessage", {}, true],
    [{ sampling: {} }, "sampling/createMessage", { tools: [] }, false],
    [{ sampling: { tools: {} } }, "sampling/createMessage", { tools: [] }, true],
  ];
  for (const [declared, method, params, may] of cases) {
    it(`${method} ${JSON.stringify(params)}, of one with ${JSON.stringify(declared)}: ${may ? "yes" : "no"}`, () => {
      assert.equal(mayBeAsked(Payload.ofValue(declared), method, Payload.ofValue(params)), may);
    });
  }
});

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
