import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfig } from "../config/load.ts";
import { mirroredIn } from "./mirrored.ts";

const FILE = {
  mcpServers: {
    files: { command: "node", args: ["files.mjs"] },
    off: { command: "node", disabled: true },
    "device-shared": { command: "node" },
  },
  homeAssistant: {
    playa: { url: "http://h:8123", token: "t" },
    closed: { url: "http://c", token: "t", disabled: true },
  },
  apiTools: {
    weather: {
      baseUrl: "https://api.example",
      tools: [{ name: "now", description: "Now.", method: "GET", path: "/now" }],
    },
  },
  devices: { timers: true, tools: "tools" },
};

const originsOf = (file: object, devices: readonly string[] = []) =>
  [...mirroredIn(parseConfig(JSON.stringify(file), "zaguan.json", {}), devices)].map(([name, { origin }]) => [
    name,
    origin,
  ]);

describe("whom the registry tells of", () => {
  it("is the house, which is built in, and what stands in the file, which is configured", () => {
    assert.deepEqual(originsOf(FILE), [
      ["house", "built-in"],
      ...["timers", "tools", "playa", "weather", "files", "device-shared"].map((name) => [name, "configured"]),
    ]);
    assert.deepEqual(originsOf({ devices: { house: false } }), []);
  });

  it("is every device that is here, unless the file has its name", () => {
    const origins = originsOf(FILE, ["device-box", "device-shared", "weather"]);
    assert.deepEqual(
      origins.filter(([name]) => name !== undefined && ["device-box", "device-shared", "weather"].includes(name)),
      [
        ["weather", "configured"],
        ["device-box", "device"],
        ["device-shared", "configured"],
      ],
    );
  });

  it("knows of MCP servers how they are reached, and of nothing else", () => {
    const all = mirroredIn(parseConfig(JSON.stringify(FILE), "zaguan.json", {}), []);
    assert.deepEqual(
      [...all].flatMap(([name, { server }]) => (server ? [[name, server.command]] : [])),
      [
        ["files", "node"],
        ["device-shared", "node"],
      ],
    );
  });
});
