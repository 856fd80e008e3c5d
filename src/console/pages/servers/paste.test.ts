/** What is pasted, in the words of the clients that people come from. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people paste
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Pasted, readJson, readPaste } from "./paste.ts";

function read(text: string | object): Pasted {
  const outcome = readPaste(typeof text === "string" ? text : JSON.stringify(text));
  assert.ok(outcome.kind === "read", `${outcome.kind}: ${JSON.stringify(text)}`);
  return outcome;
}

const NPX = { command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"] };

describe("configurations of other clients", () => {
  test("Claude Desktop, Cursor, LM Studio: mcpServers", () => {
    const { servers, refused } = read({
      mcpServers: { everything: { ...NPX, env: { LEVEL: 3, ON: true } }, shop: { url: "https://shop.example/mcp" } },
    });
    assert.deepEqual(refused, []);
    assert.deepEqual(servers, [
      {
        name: "everything",
        baseUrl: undefined,
        ...NPX,
        env: { LEVEL: "3", ON: "true" },
        headers: {},
        isOff: false,
        notes: [],
      },
      {
        name: "shop",
        baseUrl: "https://shop.example/mcp",
        command: undefined,
        args: [],
        env: {},
        headers: {},
        isOff: false,
        notes: [],
      },
    ]);
  });

  test("VS Code: servers with inputs, in mcp.json and in settings.json", () => {
    const servers = {
      git: { type: "http", url: "https://git.example/mcp", headers: { Authorization: "Bearer ${input:pat}" } },
    };
    const inputs = [{ type: "promptString", id: "pat", description: "Access token", password: true }];
    for (const written of [{ inputs, servers }, { mcp: { inputs, servers } }]) {
      const pasted = read(written);
      assert.equal(pasted.servers[0]?.name, "git");
      assert.deepEqual(pasted.gaps, [{ token: "${input:pat}", label: "Access token", secret: true, otherwise: "" }]);
    }
  });

  test("Zed: context_servers, new and old, and those of extensions", () => {
    const { servers, refused } = read({
      theme: "One Dark",
      context_servers: {
        new: { source: "custom", command: "node", args: ["a.js"], env: { A: "b" } },
        old: { command: { path: "node", args: ["b.js"], env: { C: "d" } }, settings: {} },
        remote: { url: "https://zed.example/mcp", headers: { "X-Key": "k" } },
        shipped: { source: "extension", settings: { token: "x" } },
      },
    });
    assert.deepEqual(
      servers.map(({ name, command, baseUrl, args, env }) => [name, command ?? baseUrl, args, env]),
      [
        ["new", "node", ["a.js"], { A: "b" }],
        ["old", "node", ["b.js"], { C: "d" }],
        ["remote", "https://zed.example/mcp", [], {}],
      ],
    );
    assert.deepEqual(refused, [{ name: "shipped", why: "extension" }]);
  });

  test("opencode: a list as command, another word for the environment, what is off", () => {
    const { servers } = read({
      mcp: {
        here: { type: "local", command: ["bun", "x", "tool"], environment: { A: "{env:SECRET_A}" }, enabled: false },
        there: { type: "remote", url: "https://there.example/mcp" },
      },
    });
    assert.deepEqual([servers[0]?.command, servers[0]?.args, servers[0]?.isOff], ["bun", ["x", "tool"], true]);
    assert.equal(servers[1]?.baseUrl, "https://there.example/mcp");
  });

  test("Gemini CLI and Windsurf have other words for the address; what else stands in the file is left alone", () => {
    const { servers, refused } = read({
      mcp: { allowed: ["a"], excluded: [] },
      mcpServers: { a: { httpUrl: "https://a.example" }, b: { serverUrl: "https://b.example" } },
    });
    assert.deepEqual(
      [servers.map(({ baseUrl }) => baseUrl), refused],
      [["https://a.example", "https://b.example"], []],
    );
  });

  test("Continue: lists, and a transport one level deeper", () => {
    const { servers } = read({
      experimental: {
        modelContextProtocolServers: [{ transport: { type: "stdio", command: "uvx", args: ["mcp-server-git"] } }],
      },
    });
    assert.deepEqual([servers[0]?.name, servers[0]?.command, servers[0]?.args], ["git", "uvx", ["mcp-server-git"]]);
  });

  test("the Messages API: a list with tokens", () => {
    const { servers } = read({
      mcp_servers: [{ type: "url", url: "https://x.example/sse", name: "x", authorization_token: "t" }],
    });
    assert.deepEqual([servers[0]?.name, servers[0]?.headers], ["x", { Authorization: "Bearer t" }]);
  });

  test("one server alone, a few by name, and a piece without braces", () => {
    assert.equal(read(NPX).servers[0]?.name, "everything");
    assert.equal(read({ url: "https://mcp.shop.example/mcp" }).servers[0]?.name, "shop");
    assert.equal(read({ name: "Mine", ...NPX }).servers[0]?.name, "Mine");
    assert.deepEqual(
      read({ one: NPX, two: NPX }).servers.map(({ name }) => name),
      ["one", "two"],
    );
    assert.equal(read(`"one": ${JSON.stringify(NPX)},`).servers[0]?.name, "one");
    assert.equal(read(`"mcpServers": { "one": ${JSON.stringify(NPX)} }`).servers[0]?.name, "one");
    assert.equal(read([{ name: "x", ...NPX }]).servers[0]?.name, "x");
  });
});

describe("what cannot be taken over is told", () => {
  test("of a server that is taken", () => {
    const { servers } = read({
      mcpServers: {
        "Mi servidor más": {
          ...NPX,
          cwd: "/srv",
          envFile: ".env",
          timeout: 9,
          autoApprove: ["a"],
          includeTools: ["b"],
          trust: false,
        },
      },
    });
    assert.equal(servers[0]?.name, "Mi-servidor-mas");
    assert.deepEqual(servers[0]?.notes, [
      { kind: "renamed", what: "Mi servidor más" },
      { kind: "cwd", what: "/srv" },
      { kind: "envFile", what: ".env" },
      { kind: "tools", what: "includeTools" },
      { kind: "unused", what: "timeout, autoApprove" },
    ]);
  });

  test("of one that is not", () => {
    const { servers, refused } = read({
      mcpServers: {
        empty: {},
        both: { command: "a", url: "https://b.example" },
        ftp: { url: "ftp://c.example" },
        line: { type: "line", command: "d" },
        text: "npx e",
        good: NPX,
      },
    });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ["good"],
    );
    assert.deepEqual(refused, [
      { name: "empty", why: "nothing" },
      { name: "both", why: "both" },
      { name: "ftp", why: "url" },
      { name: "line", why: "line" },
      { name: "text", why: "noForm" },
    ]);
  });

  test("two names that become one stay two", () => {
    const { servers } = read({ mcpServers: { "a b": NPX, "a-b": NPX } });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ["a-b", "a-b-2"],
    );
  });
});

describe("what is no configuration", () => {
  for (const [text, kind] of [
    ["", "nothing"],
    [" \n", "nothing"],
    ["{}", "unknown"],
    ["[]", "unknown"],
    ["3", "unknown"],
    ["null", "unknown"],
    ['{"mcpServers":{}}', "unknown"],
    ['{"mcpServers":{"zaguan":', "broken"],
    ["[mcp_servers.x]", "broken"],
    ["mcpServers:\n  x:\n    command: npx", "broken"],
  ] as const) {
    test(`${JSON.stringify(text)} is ${kind}`, () => assert.equal(readPaste(text).kind, kind));
  }

  test("its inherited members are no servers", () => {
    assert.equal(readPaste('{"__proto__":{"mcpServers":{"x":{"command":"y"}}}}').kind, "unknown");
  });
});

function value(text: string): unknown {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return read.value;
}

describe("tolerated", () => {
  for (const [what, text, expected] of [
    ["comments of a line", '{ // one\n"a": 1 // two\n}', { a: 1 }],
    ["comments of any length", '/* x\n */{"a": /* , } */ 1}', { a: 1 }],
    ["commas too many", '{"a": [1, 2, ], "b": {"c": 3,\n},}', { a: [1, 2], b: { c: 3 } }],
    ["a comma, then a comment", '{"a": 1, // last\n}', { a: 1 }],
    ["a fence", '```json\n{"a": 1}\n```\n', { a: 1 }],
    ["no outer braces", '"a": {"b": 1},', { a: { b: 1 } }],
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a semicolon at the end", '{"a":1};', { a: 1 }],
    ["a text alone", '"a"', "a"],
  ] as const) {
    test(what, () => assert.deepEqual(value(text), expected));
  }

  test("texts are left as they are", () => {
    const texts = { url: "https://a.example//b", glob: "/* , ] */", comma: ",]", quote: 'a\\"//b', path: "C:\\" };
    assert.deepEqual(value(JSON.stringify(texts)), texts);
  });
});

describe("refused", () => {
  test("with the place", () => {
    assert.deepEqual(readJson('{\n  "a": 1\n  "b": 2\n}'), { ok: false, at: { line: 3, column: 3 } });
  });

  test("with the place in a piece as it was pasted", () => {
    assert.deepEqual(readJson('"a": x'), { ok: false, at: { line: 1, column: 6 } });
  });

  test("with the place behind a comment", () => {
    assert.deepEqual(readJson("{ /* long */ x }"), { ok: false, at: { line: 1, column: 14 } });
  });

  test("what just ends", () => assert.deepEqual(readJson('{\n "a": '), { ok: false, at: { line: 2, column: 6 } }));
});
