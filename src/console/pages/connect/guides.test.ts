/** What people copy: every snippet of every guide, for whatever they connect. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONSOLE_TEXTS } from "../../../messages/en/console.ts";
import { type Part, pretty, variable } from "./guide.ts";
import { CLIENTS } from "./guides.ts";
import { HUB, type Place, type Target } from "./place.ts";

const NAMES = ["house", "living room", 'Ana\'s "den" $(x) `y`', "客厅", "a\\b"];
const TARGETS: readonly Target[] = [
  HUB,
  ...NAMES.flatMap((name) => [{ kind: "agent", name } as const, { kind: "server", name } as const]),
];
const PLACES: readonly Place[] = ["http://127.0.0.1:3003/", "https://example.org/hub/"].flatMap((base) =>
  TARGETS.flatMap((target) => [undefined, "zgn_k-_9"].map((key) => ({ base, target, key }))),
);

function snippetsOf(id: string, place: Place): readonly string[] {
  return partsOf(id, place).flatMap((part) => (part.kind === "snippet" ? [part.text] : []));
}

function partsOf(id: string, place: Place): readonly Part[] {
  const client = CLIENTS.find((one) => one.id === id);
  assert.ok(client, id);
  return client.guide(place);
}

const isJson = (text: string): boolean => text.startsWith("{");

describe("every guide", () => {
  for (const { id, title, guide } of CLIENTS) {
    it(`${id}: says only what there are words for, and gives JSON that can be read`, () => {
      assert.ok(Object.hasOwn(CONSOLE_TEXTS, title));
      for (const place of PLACES) {
        const parts = guide(place);
        assert.ok(parts.length > 0);
        for (const part of parts) assert.ok(Object.hasOwn(CONSOLE_TEXTS, part.say), part.say);
        for (const text of snippetsOf(id, place).filter(isJson)) JSON.parse(text);
      }
    });

    it(`${id}: has no key where none is asked for, and no other place for one`, () => {
      for (const place of PLACES.filter(({ key }) => key === undefined)) {
        assert.doesNotMatch(JSON.stringify(guide(place)), /Bearer|zgn_|YOUR_KEY|undefined/i);
      }
      for (const place of PLACES.filter(({ key }) => key !== undefined)) {
        assert.match(JSON.stringify(guide(place)), /zgn_k-_9/);
      }
    });

    it(`${id}: has each field once`, () => {
      for (const part of guide({ base: "http://h:1/", target: HUB, key: "k" })) {
        if (part.kind !== "fields") continue;
        assert.equal(new Set(part.rows.map(([field]) => field)).size, part.rows.length);
      }
    });
  }
});

describe("JSON for people", () => {
  it("is the same JSON", () => {
    const hard = { a: [], b: {}, c: [1, 'x"],[', null], d: [{ e: [["f"]] }, true], "g\n": { h: "客厅" } };
    assert.deepEqual(JSON.parse(pretty(hard)), hard);
  });

  it("has lists of words on one line", () => {
    assert.equal(pretty({ a: { b: ["-y", "c"] } }), '{\n  "a": {\n    "b": ["-y", "c"]\n  }\n}');
  });
});

describe("entries", () => {
  const place: Place = { base: "http://10.0.0.2:3003/", target: { kind: "agent", name: "living room" }, key: "zgn_k" };
  const url = "http://10.0.0.2:3003/agents/living%20room/mcp";
  const [first = ""] = snippetsOf("claude-desktop", place);

  it("of Claude Desktop have no space in an argument, and the key in the environment", () => {
    const { mcpServers } = JSON.parse(first) as { mcpServers: Record<string, { args: string[]; env: object }> };
    assert.deepEqual(mcpServers, {
      "zaguan-living-room": {
        command: "npx",
        args: ["-y", "mcp-remote", url, "--allow-http", "--header", `Authorization:${variable("AUTHORIZATION")}`],
        env: { AUTHORIZATION: "Bearer zgn_k" },
      },
    });
  });

  it("of Claude Desktop allow plain http only beyond this machine", () => {
    for (const base of ["http://localhost:3003/", "https://example.org/"]) {
      assert.doesNotMatch(snippetsOf("claude-desktop", { ...place, base })[0] ?? "", /allow-http/);
    }
  });

  it("of Claude Desktop start the hub for the same agent or server", () => {
    const args = (target: Target): unknown => {
      const [, second = ""] = snippetsOf("claude-desktop", { ...place, target });
      return Object.values((JSON.parse(second) as { mcpServers: Record<string, { args: string[] }> }).mcpServers)[0]
        ?.args;
    };
    assert.deepEqual((args(place.target) as string[]).slice(-3), ["stdio", "--agent", "living room"]);
    assert.deepEqual((args({ kind: "server", name: "house" }) as string[]).slice(-3), ["stdio", "--server", "house"]);
    assert.equal((args(HUB) as string[]).at(-1), "stdio");
  });

  it("of Cursor and LM Studio are the same in the file and in the link", () => {
    for (const id of ["cursor", "lm-studio"]) {
      const [file = ""] = snippetsOf(id, place);
      const { mcpServers } = JSON.parse(file) as { mcpServers: object };
      assert.deepEqual(mcpServers, { "zaguan-living-room": { url, headers: { Authorization: "Bearer zgn_k" } } });
      const { href } = partsOf(id, place).find((part) => part.kind === "link") as { href: string };
      const query = new URL(href).searchParams;
      assert.equal(query.get("name"), "zaguan-living-room");
      assert.deepEqual(JSON.parse(atob(query.get("config") ?? "")), Object.values(mcpServers)[0]);
    }
  });

  it("of VS Code ask for the key in the file, and bring it in the link and the command", () => {
    const [file = "", command = ""] = snippetsOf("vscode", place);
    const { inputs, servers } = JSON.parse(file) as { inputs: readonly { id: string }[]; servers: object };
    assert.equal(inputs.length, 1);
    assert.doesNotMatch(file, /zgn_k/);
    const reference = `Bearer ${variable(`input:${inputs[0]?.id}`)}`;
    assert.deepEqual(servers, {
      "zaguan-living-room": { type: "http", url, headers: { Authorization: reference } },
    });
    const server = { name: "zaguan-living-room", type: "http", url, headers: { Authorization: "Bearer zgn_k" } };
    const { href } = partsOf("vscode", place).find((part) => part.kind === "link") as { href: string };
    assert.deepEqual(JSON.parse(decodeURIComponent(href.replace("vscode:mcp/install?", ""))), server);
    assert.deepEqual(JSON.parse(/^code --add-mcp '(.*)'$/.exec(command)?.[1] ?? ""), server);
  });

  it("of xiaozhi name the agent, and no server", () => {
    const endpoint = (target: Target): object => {
      const [file = ""] = snippetsOf("xiaozhi", { ...place, target });
      return (JSON.parse(file) as { xiaozhi: { endpoints: readonly [object] } }).xiaozhi.endpoints[0];
    };
    assert.equal((endpoint(place.target) as { agent: string }).agent, "living room");
    assert.ok(!("agent" in endpoint(HUB)) && !("agent" in endpoint({ kind: "server", name: "house" })));
  });
});
