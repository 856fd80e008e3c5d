import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffServers } from "./diff.ts";
import { parseConfig } from "./load.ts";
import type { ZaguanConfig } from "./types.ts";

describe("the difference between two configurations", () => {
  it("is nothing for the same servers in another order and another spelling", () => {
    const before = config({ mcpServers: { a: { command: "x" }, b: { url: "http://b" } } });
    const after = config({ mcpServers: { b: { url: "http://b", type: "http" }, a: { command: "x", args: [] } } });
    assert.deepEqual(diffServers(before, after), { added: [], removed: [], changed: [] });
  });

  it("names servers that came, went and changed, however deep", () => {
    const before = config({
      mcpServers: { gone: { command: "x" }, other: { command: "x", zaguan: { cacheSeconds: { t: 1 } } } },
    });
    const after = config({
      mcpServers: { other: { command: "x", zaguan: { cacheSeconds: { t: 2 } } }, come: { command: "x" } },
    });
    assert.deepEqual(diffServers(before, after), { added: ["come"], removed: ["gone"], changed: ["other"] });
  });

  it("counts a server that was disabled as changed", () => {
    const before = config({ mcpServers: { a: { command: "x" } } });
    const after = config({ mcpServers: { a: { command: "x", disabled: true } } });
    assert.deepEqual(diffServers(before, after).changed, ["a"]);
  });

  it("counts the house as a server", () => {
    const usual = config({});
    const none = config({ devices: { house: false } });
    const small = config({ devices: { house: { lights: ["hall"] } } });
    assert.deepEqual(diffServers(none, usual), { added: ["house"], removed: [], changed: [] });
    assert.deepEqual(diffServers(usual, none), { added: [], removed: ["house"], changed: [] });
    assert.deepEqual(diffServers(usual, small), { added: [], removed: [], changed: ["house"] });
  });

  it("leaves other settings out", () => {
    assert.deepEqual(diffServers(config({}), config({ log: { level: "debug" } })).changed, []);
  });
});

function config(form: unknown): ZaguanConfig {
  return parseConfig(JSON.stringify(form), "zaguan.json", {});
}
