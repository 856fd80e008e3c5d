import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFileForm } from "./schema.ts";
import type { ZaguanConfig } from "./types.ts";

describe("defaults", () => {
  it("are those of the contract", () => {
    assert.deepEqual(accepted({}), {
      mcpServers: {},
      homeAssistant: {},
      apiTools: {},
      sections: {},
      xiaozhi: { endpoints: [] },
      devices: {
        house: {
          lights: ["salon", "cocina", "dormitorio", "bano", "garage"],
          alarmDefault: false,
          presenceDefault: { present: false, knownPeople: [] },
        },
        abilities: {},
      },
      limits: {
        bodyBytes: 1048576,
        lineBytes: 10485760,
        jsonDepth: 64,
        jsonElements: 10000,
        connections: 10000,
        unreadBytes: 268435456,
        sessions: 10000,
        sessionIdleSeconds: 3600,
        callSeconds: 60,
        callMaxSeconds: 600,
        queueLength: 1000,
        queueBurst: 100,
        strictArguments: false,
        callsPerMinute: 0,
        cacheBytes: 33554432,
        listWaitSeconds: 5,
        discoverySeconds: 30,
        drainSeconds: 5,
        graceSeconds: 10,
      },
      auth: { requireKey: false, trustedProxies: [], allowedHosts: [], allowedOrigins: [], allowedCommands: [] },
      cluster: { prefix: "zaguan" },
      log: { level: "info" },
    });
  });

  it("fill what a section leaves out", () => {
    assert.equal(accepted({ limits: { callSeconds: 5 } }).limits.bodyBytes, 1048576);
    assert.deepEqual(accepted({ devices: { house: { lights: ["hall"] } } }).devices.house, {
      lights: ["hall"],
      alarmDefault: false,
      presenceDefault: { present: false, knownPeople: [] },
    });
  });

  it("are never shared between two configurations", () => {
    assert.notEqual(accepted({}).devices.house, accepted({}).devices.house);
  });
});

describe("the house", () => {
  it("is there with true, and gone with false", () => {
    assert.deepEqual(accepted({ devices: { house: true } }), accepted({}));
    assert.equal(accepted({ devices: { house: false } }).devices.house, false);
  });

  it("has no light twice", () => {
    assert.deepEqual(refused({ devices: { house: { lights: ["a", "a"] } } }), [
      "devices.house.lights: names a light twice",
    ]);
  });
});

describe("unknown keys", () => {
  it("are refused by name and place, with a guess where one is near", () => {
    assert.deepEqual(refused({ limitz: {} }), ['unknown key "limitz" (did you mean "limits"?)']);
    assert.deepEqual(refused({ servers: {} }), ['unknown key "servers" (did you mean "mcpServers"?)']);
    assert.deepEqual(refused({ devices: { house: { ligths: [] } } }), [
      'devices.house.ligths: unknown key "ligths" (did you mean "lights"?)',
    ]);
    assert.deepEqual(refused({ auth: { elephant: 1 } }), ['auth.elephant: unknown key "elephant"']);
  });

  it("are refused even when objects inherit something of that name", () => {
    assert.deepEqual(refused({ constructor: {}, toString: 1 }), [
      'unknown key "constructor"',
      'unknown key "toString"',
    ]);
  });
});

describe("wrong values", () => {
  it("are told with their place and what was expected", () => {
    assert.deepEqual(refused({ limits: { bodyBytes: "1" } }), ["limits.bodyBytes: expected a number, found a text"]);
    assert.deepEqual(refused({ limits: { queueLength: 1.5 } }), [
      "limits.queueLength: expected a whole number, found a fraction",
    ]);
    assert.deepEqual(refused({ limits: { sessions: 0 } }), ["limits.sessions: must be at least 1"]);
    assert.deepEqual(refused({ limits: { jsonDepth: 100000 } }), ["limits.jsonDepth: must be at most 512"]);
    assert.deepEqual(refused({ auth: [] }), ["auth: expected an object, found a list"]);
    assert.deepEqual(refused({ log: null }), ["log: expected an object, found null"]);
    assert.deepEqual(refused({ log: { level: "loud" } }), [
      'log.level: expected one of "trace", "debug", "info", "warn", "error", "silent"',
    ]);
    assert.deepEqual(refused({ devices: { house: 3 } }), ["devices.house: expected true, false or an object"]);
    assert.deepEqual(refused({ devices: { house: { lights: ["a", 7] } } }), [
      "devices.house.lights[1]: expected a text, found a number",
    ]);
  });

  it("include a call's time above the most a caller may ask for", () => {
    assert.deepEqual(refused({ limits: { callSeconds: 601 } }), [
      "limits.callSeconds: must not be more than limits.callMaxSeconds",
    ]);
    assert.equal(accepted({ limits: { callSeconds: 601, callMaxSeconds: 601 } }).limits.callSeconds, 601);
  });

  it("include hosts with a scheme and origins with a path", () => {
    assert.equal(refused({ auth: { allowedHosts: ["http://a"] } }).length, 1);
    assert.equal(refused({ auth: { allowedOrigins: ["http://a/"] } }).length, 1);
    assert.equal(refused({ auth: { allowedOrigins: ["null"] } }).length, 1);
    accepted({ auth: { allowedHosts: ["a.home", "[::1]:3003"], allowedOrigins: ["http://a:1", "app://x"] } });
  });
});

function accepted(form: unknown): ZaguanConfig {
  const checked = checkFileForm(form);
  return "config" in checked ? checked.config : assert.fail(JSON.stringify(checked.problems));
}

function refused(form: unknown): string[] {
  const checked = checkFileForm(form);
  if ("config" in checked) assert.fail("was accepted");
  return checked.problems.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
}
