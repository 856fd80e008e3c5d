import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../json/payload.ts";
import { SERVER_INFO } from "./envelope.ts";
import { discoverResult, faceOfDiscovery, faceOfInitialize, initializeResult, revisionOf } from "./face.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const UI = "io.modelcontextprotocol/ui";
const SELF = { name: "zaguan", version: "0" };
const VERSIONS = ["2026-07-28", "2025-11-25"];
const INFO = { name: "own", version: "3", icons: [{ src: "a:b" }], later: true };

const GREETING = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, tasks: { list: {} }, "x-new": { a: 1 } },
  serverInfo: INFO,
  instructions: "be kind",
  later: [1],
};

const DISCOVERY = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, "x-new": { a: 1 }, extensions: { [TASKS]: {}, [UI]: { mime: "text/html" } } },
  instructions: "be kind",
  ttlMs: 5,
  cacheScope: "public",
  _meta: { [SERVER_INFO]: INFO, other: 1 },
  later: [1],
};

const greeted = faceOfInitialize(Payload.ofValue(GREETING));
const discovered = faceOfDiscovery(Payload.ofValue(DISCOVERY));

describe("what a server says of itself", () => {
  it("is the same, whichever way it says it", () => {
    for (const face of [greeted, discovered]) {
      assert.deepEqual([face.serverInfo, face.instructions, face.capabilities["x-new"]], [INFO, "be kind", { a: 1 }]);
    }
    assert.deepEqual([greeted.greeting?.value, greeted.discovery], [GREETING, undefined]);
    assert.deepEqual([discovered.greeting, discovered.discovery?.value], [undefined, DISCOVERY]);
  });

  const odd = [null, [], "hello", 7, {}, { capabilities: [], serverInfo: "me", instructions: 1, _meta: null }];
  for (const answer of odd) {
    it(`may be nothing of use: ${JSON.stringify(answer)}`, () => {
      for (const read of [faceOfInitialize, faceOfDiscovery]) {
        const { capabilities, serverInfo, instructions } = read(Payload.ofValue(answer));
        assert.deepEqual([capabilities, serverInfo, instructions], [{}, undefined, undefined]);
      }
    });
  }
});

describe("told to a client of the server's own era", () => {
  it("a greeting keeps every field but the version, which is the client's", () => {
    const { value } = initializeResult(greeted, "2025-11-25", SELF);
    assert.deepEqual(value, { ...GREETING, protocolVersion: "2025-11-25" });
  });

  it("a discovery keeps every field but the versions, which are ours", () => {
    assert.deepEqual(discoverResult(discovered, VERSIONS, 60_000).value, { ...DISCOVERY, supportedVersions: VERSIONS });
  });
});

describe("the revision that is spoken with a server", () => {
  it("is the one of the handshake, or the newest of those without", () => {
    assert.equal(revisionOf(faceOfInitialize(Payload.ofValue({ protocolVersion: "2025-03-26" }))), "2025-03-26");
    assert.equal(revisionOf(greeted), GREETING.protocolVersion);
    assert.equal(revisionOf(discovered), "2026-07-28");
  });

  it("is unknown where a server said none, or speaks no MCP", () => {
    for (const said of [{}, { protocolVersion: 7 }, [], null, "2025-03-26"])
      assert.equal(revisionOf(faceOfInitialize(Payload.ofValue(said))), undefined);
    const noMcp = { capabilities: {}, serverInfo: undefined, instructions: undefined };
    assert.equal(revisionOf({ ...noMcp, greeting: undefined, discovery: undefined }), undefined);
    assert.equal(revisionOf(undefined), undefined);
  });
});

describe("told to a client of the other era", () => {
  it("a greeting becomes a discovery, for this client alone, and without the tasks of its own era", () => {
    const { tasks: _, ...capabilities } = GREETING.capabilities;
    assert.deepEqual(discoverResult(greeted, VERSIONS, 60_000).value, {
      resultType: "complete",
      supportedVersions: VERSIONS,
      capabilities,
      instructions: "be kind",
      _meta: { [SERVER_INFO]: INFO },
      ttlMs: 60_000,
      cacheScope: "private",
    });
  });

  it("a discovery becomes a greeting, without the tasks of its own era, all other extensions kept", () => {
    assert.deepEqual(initializeResult(discovered, "2025-11-25", SELF).value, {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, "x-new": { a: 1 }, extensions: { [UI]: { mime: "text/html" } } },
      serverInfo: INFO,
      instructions: "be kind",
    });
  });

  it("says no more than the server did", () => {
    const nothing = Payload.ofValue({ capabilities: { tools: {} } });
    const { supportedVersions, _meta, instructions } = discoverResult(faceOfInitialize(nothing), VERSIONS, 0)
      .value as Record<string, unknown>;
    assert.deepEqual([supportedVersions, _meta, instructions], [VERSIONS, undefined, undefined]);
    assert.deepEqual(initializeResult(faceOfDiscovery(nothing), "2025-03-26", SELF).value, {
      protocolVersion: "2025-03-26",
      capabilities: { tools: {} },
      // A greeting must name somebody.
      serverInfo: SELF,
    });
  });

  it("carries no tasks over, by whichever name the server declared them", () => {
    const capabilities = { tools: {}, tasks: { cancel: {} }, extensions: { [TASKS]: {} } };
    const both = Payload.ofValue({ capabilities });
    const told = [
      discoverResult(faceOfInitialize(both), VERSIONS, 0),
      initializeResult(faceOfDiscovery(both), "2025-11-25", SELF),
    ];
    for (const { value } of told) {
      assert.deepEqual((value as { capabilities: unknown }).capabilities, { tools: {}, extensions: {} });
    }
  });

  it("leaves what the server said as it was", () => {
    initializeResult(discovered, "2025-11-25", SELF);
    discoverResult(greeted, VERSIONS, 0);
    assert.ok(TASKS in (discovered.capabilities["extensions"] as object));
    assert.ok("tasks" in greeted.capabilities);
  });
});
