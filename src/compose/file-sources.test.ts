import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfig } from "../config/load.ts";
import type { ZaguanConfig } from "../config/types.ts";
import { LocalOwners } from "../core/shared/owners.ts";
import { type Changes, SourceDirectory, type Wanted } from "../sources/directory.ts";
import { sourcesIn } from "./file-sources.ts";
import { mirroredIn } from "./sources.ts";

const HUB = { replace: async () => {}, move: async () => {}, detach: async () => {} };

function config(form: unknown): ZaguanConfig {
  return parseConfig(JSON.stringify(form), "zaguan.json", {});
}

async function changes(before: unknown, after: unknown): Promise<Changes> {
  const directory = new SourceDirectory(HUB, new LocalOwners());
  const wanted = (form: unknown) => {
    const all = sourcesIn(config(form)).map(({ name, entry }): [string, Wanted] => [name, { entry }]);
    return new Map([["configured", new Map(all)]] as const);
  };
  await directory.replace(wanted(before));
  return directory.replace(wanted(after));
}

describe("the difference between two files", () => {
  it("is nothing for the same servers in another order and another spelling", async () => {
    const before = { mcpServers: { a: { command: "x" }, b: { url: "http://b" } } };
    const after = { mcpServers: { b: { url: "http://b", type: "http" }, a: { command: "x", args: [] } } };
    assert.deepEqual(await changes(before, after), { added: [], removed: [], changed: [] });
  });

  it("names servers that came, went and changed, however deep", async () => {
    const before = {
      mcpServers: { gone: { command: "x" }, other: { command: "x", zaguan: { cacheSeconds: { t: 1 } } } },
    };
    const after = {
      mcpServers: { other: { command: "x", zaguan: { cacheSeconds: { t: 2 } } }, come: { command: "x" } },
    };
    assert.deepEqual(await changes(before, after), { added: ["come"], removed: ["gone"], changed: ["other"] });
  });

  it("counts a server that was disabled as changed", async () => {
    const before = { mcpServers: { a: { command: "x" } } };
    const after = { mcpServers: { a: { command: "x", disabled: true } } };
    assert.deepEqual((await changes(before, after)).changed, ["a"]);
  });

  it("counts the house as a server", async () => {
    const none = { devices: { house: false } };
    const small = { devices: { house: { lights: ["hall"] } } };
    assert.deepEqual(await changes(none, {}), { added: ["house"], removed: [], changed: [] });
    assert.deepEqual(await changes({}, none), { added: [], removed: ["house"], changed: [] });
    assert.deepEqual(await changes({}, small), { added: [], removed: [], changed: ["house"] });
  });

  it("counts houses of Home Assistant, and APIs", async () => {
    const house = { url: "http://192.168.1.22:8123", token: "a.b-c_d" };
    const api = { baseUrl: "https://api.example.org/", tools: [{ name: "now", description: "Now", path: "/now" }] };
    const before = {
      homeAssistant: { madrid: house, playa: house },
      apiTools: { pets: { openapi: "p.yaml" }, sky: api },
    };
    const after = {
      homeAssistant: { playa: { ...house, token: "other" }, sierra: house },
      apiTools: { sky: { ...api, headers: { X: "1" } }, mail: { openapi: "p.yaml" } },
    };
    assert.deepEqual(await changes(before, after), {
      added: ["sierra", "mail"],
      removed: ["madrid", "pets"],
      changed: ["playa", "sky"],
    });
  });

  it("leaves other settings out", async () => {
    assert.deepEqual((await changes({}, { log: { level: "debug" } })).changed, []);
  });
});

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

async function mirrored(form: unknown, devices: readonly string[] = []): Promise<ReturnType<typeof mirroredIn>> {
  const directory = new SourceDirectory(HUB, new LocalOwners());
  const attach = async (): Promise<void> => {};
  const byOrigin = Map.groupBy(sourcesIn(config(form)), ({ origin }) => origin);
  for (const [origin, all] of byOrigin)
    await directory.replace(
      new Map([[origin, new Map(all.map((one) => [one.name, { ...one, ...(one.isDisabled ? {} : { attach }) }]))]]),
    );
  for (const name of devices) await directory.set("device", name, { entry: Symbol(name), attach });
  return mirroredIn(directory.list());
}

const originsOf = async (form: unknown, devices?: readonly string[]) =>
  [...(await mirrored(form, devices))].map(([name, { origin }]) => [name, origin]);

describe("whom the registry tells of", () => {
  it("is the house, which is built in, and what stands in the file, which is configured", async () => {
    assert.deepEqual(await originsOf(FILE), [
      ["house", "built-in"],
      ...["files", "device-shared", "playa", "weather", "timers", "tools"].map((name) => [name, "configured"]),
    ]);
    assert.deepEqual(await originsOf({ devices: { house: false } }), []);
  });

  it("is every device that is here, unless the file has its name", async () => {
    const names = ["device-box", "device-shared", "weather"];
    const origins = await originsOf(FILE, names);
    assert.deepEqual(
      origins.filter(([name]) => names.includes(String(name))),
      [
        ["device-shared", "configured"],
        ["weather", "configured"],
        ["device-box", "device"],
      ],
    );
  });

  it("knows of MCP servers how they are reached, and of nothing else", async () => {
    assert.deepEqual(
      [...(await mirrored(FILE))].flatMap(([name, { server }]) => (server ? [[name, server.command]] : [])),
      [
        ["files", "node"],
        ["device-shared", "node"],
      ],
    );
  });
});

describe("what a source of the file may be pinned to", () => {
  const pinned = { zaguan: { nodes: ["garage"] } };

  it("stands in its policy, in each section whose entries have one", () => {
    const form = {
      mcpServers: { files: { command: "node", ...pinned }, free: { command: "node" } },
      homeAssistant: { playa: { url: "http://h:8123", token: "t", ...pinned } },
      apiTools: { weather: { openapi: "weather.yaml", ...pinned } },
      mqtt: { broker: { url: "mqtt://broker", ...pinned } },
      devices: { timers: true, tools: "tools" },
    };
    assert.deepEqual(
      sourcesIn(config(form)).map(({ name, policy }) => [name, policy.nodes]),
      [
        ["house", undefined],
        ["files", ["garage"]],
        ["free", undefined],
        ["playa", ["garage"]],
        ["weather", ["garage"]],
        ["timers", undefined],
        ["tools", undefined],
        ["broker", ["garage"]],
      ],
    );
  });

  it("changes the source where it changes", async () => {
    const before = { mcpServers: { a: { command: "x" } } };
    const after = { mcpServers: { a: { command: "x", ...pinned } } };
    assert.deepEqual((await changes(before, after)).changed, ["a"]);
  });
});
