import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFileForm } from "./schema.ts";
import { IGNORED_SERVER_KEYS } from "./server-schema.ts";
import type { ServerConfig } from "./types.ts";

describe("an entry of mcpServers", () => {
  it("is a program to start, with every default", () => {
    assert.deepEqual(accepted({ command: "npx" }), {
      type: "stdio",
      command: "npx",
      args: [],
      env: {},
      cwd: undefined,
      url: undefined,
      headers: {},
      protocol: undefined,
      disabled: false,
      policy: { trusted: false, allowPrivate: false, repeatable: [], cacheSeconds: {} },
    });
  });

  it("is a URL, whatever the client calls the transport", () => {
    for (const type of ["http", "streamable-http", "streamableHttp", undefined]) {
      assert.equal(accepted({ type, url: "https://a.example/mcp" }).type, "http");
      assert.equal(accepted({ transport: type, url: "https://a.example/mcp" }).type, "http");
    }
  });

  it("says by its type, or by its URL, what is tried first", () => {
    assert.equal(accepted({ type: "sse", url: "https://a.example/sse" }).type, "sse");
    assert.equal(accepted({ transport: "sse", url: "https://a.example/sse" }).type, "sse");
    for (const type of ["ws", "websocket"])
      assert.equal(accepted({ type, url: "https://a.example" }).type, "websocket");
    for (const url of ["ws://a.example", "WSS://a.example/mcp"]) assert.equal(accepted({ url }).type, "websocket");
    assert.deepEqual(refused({ type: "sse", command: "x" }), ['mcpServers.a: the type "sse" needs "url"']);
  });

  it("is a line-JSON program where it says so", () => {
    assert.equal(accepted({ type: "line", command: "python3" }).type, "line");
  });

  it("takes numbers and truth values in env, as VS Code does, as text", () => {
    assert.deepEqual(accepted({ command: "x", env: { PORT: 80, DEBUG: true, NAME: "n" } }).env, {
      PORT: "80",
      DEBUG: "true",
      NAME: "n",
    });
  });

  it("may carry what other clients write for themselves, of any type", () => {
    for (const key of IGNORED_SERVER_KEYS) {
      assert.deepEqual(accepted({ command: "x", [key]: { any: [1] } }), accepted({ command: "x" }), key);
    }
  });

  it("is left out by disabled or by enabled", () => {
    assert.equal(accepted({ command: "x", disabled: true }).disabled, true);
    assert.equal(accepted({ command: "x", enabled: false }).disabled, true);
    assert.equal(accepted({ command: "x", enabled: true }).disabled, false);
    assert.equal(accepted({ command: "x", enabled: true, disabled: false }).disabled, false);
    assert.deepEqual(refused({ command: "x", enabled: true, disabled: true }), [
      'mcpServers.a: "disabled" and "enabled" contradict each other',
    ]);
  });

  it("has our own settings in its member zaguan", () => {
    const zaguan = {
      trusted: true,
      allowPrivate: true,
      concurrency: 3,
      repeatable: ["t"],
      cacheSeconds: { t: 1.5 },
      readySeconds: 60,
    };
    assert.deepEqual(accepted({ command: "x", zaguan }).policy, zaguan);
    assert.deepEqual(refused({ command: "x", zaguan: { trustd: true } }), [
      'mcpServers.a.zaguan.trustd: unknown key "trustd" (did you mean "trusted"?)',
    ]);
  });

  it("may be pinned to nodes of a cluster", () => {
    assert.deepEqual(accepted({ command: "x", zaguan: { nodes: ["garage", "attic-2"] } }).policy.nodes, [
      "garage",
      "attic-2",
    ]);
    assert.deepEqual(refused({ command: "x", zaguan: { nodes: ["garage", "Attic"] } }), [
      'mcpServers.a.zaguan.nodes[1]: expected the name of a node, such as "garage": lower-case letters, digits, - and _, up to 32 characters, with a letter or digit at both ends',
    ]);
    assert.deepEqual(refused({ command: "x", zaguan: { nodes: [] } }), [
      "mcpServers.a.zaguan.nodes: must name a node; leave it out for all of them",
    ]);
  });
});

describe("an entry of mcpServers is refused", () => {
  it("with neither or both of command and url", () => {
    assert.deepEqual(refused({}), ['mcpServers.a: needs either "command" or "url"']);
    assert.deepEqual(refused({ command: "x", url: "http://a" }), [
      'mcpServers.a: has both "command" and "url"; keep one of them',
    ]);
  });

  it("when its type needs the other one, or transport says something else", () => {
    assert.deepEqual(refused({ type: "http", command: "x" }), ['mcpServers.a: the type "http" needs "url"']);
    assert.deepEqual(refused({ type: "line", url: "http://a" }), ['mcpServers.a: the type "line" needs "command"']);
    assert.deepEqual(refused({ type: "stdio", transport: "line", command: "x" }), [
      'mcpServers.a: "type" and "transport" contradict each other',
    ]);
  });

  it("by a transport that nobody knows", () => {
    assert.match(refused({ type: "pigeon", url: "http://a" }).join(), /^mcpServers\.a\.type: /);
  });

  it("for a misspelt key, and only for that", () => {
    assert.deepEqual(refused({ comand: "x" }), ['mcpServers.a.comand: unknown key "comand" (did you mean "command"?)']);
  });

  it("for URLs that are none of ours and headers that cannot be sent", () => {
    for (const url of ["a.example", "ftp://a", "file:///etc/passwd", "http://", ""]) {
      assert.deepEqual(
        refused({ url }),
        ["mcpServers.a.url: expected a URL that begins with http://, https://, ws:// or wss://"],
        url,
      );
    }
    assert.deepEqual(refused({ url: "http://a", headers: { X: "1\r\nY: 2" } }), [
      "mcpServers.a.headers.X: must be one line of characters that a header can have",
    ]);
    assert.deepEqual(refused({ url: "http://a", headers: { "X Y": "1" } }), [
      'mcpServers.a.headers["X Y"]: is not a possible name of a header',
    ]);
  });
});

describe("a server's name", () => {
  it("is any text, and what it is kept by is made of it", () => {
    const named = {
      "My Files": { command: "a", description: "notes" },
      "my-files": { command: "b" },
      我的: { command: "c" },
    };
    const checked = checkFileForm({ mcpServers: named, homeAssistant: { server: { url: "http://h", token: "t" } } });
    if ("problems" in checked) assert.fail(JSON.stringify(checked.problems));
    const servers = Object.entries(checked.config.mcpServers).map(([slug, server]) => [
      slug,
      server.title,
      server.command,
    ]);
    assert.deepEqual(servers, [
      ["my-files-2", "My Files", "a"],
      ["my-files", undefined, "b"],
      ["server-2", "我的", "c"],
    ]);
    assert.equal(checked.config.mcpServers["my-files-2"]?.description, "notes");
  });

  it("is checked in the file, with its place", () => {
    const checked = checkFileForm({ mcpServers: { "a\nb": { command: "x" } } });
    assert.ok("problems" in checked);
    assert.equal(checked.problems[0]?.path, 'mcpServers["a\\nb"]');
    assert.match(checked.problems[0]?.text ?? "", /^a server's name is/);
  });
});

function accepted(entry: Record<string, unknown>): ServerConfig {
  const checked = checkFileForm({ mcpServers: { a: entry } });
  if ("problems" in checked) assert.fail(JSON.stringify(checked.problems));
  return checked.config.mcpServers["a"] as ServerConfig;
}

function refused(entry: Record<string, unknown>): string[] {
  const checked = checkFileForm({ mcpServers: { a: entry } });
  if ("config" in checked) assert.fail("was accepted");
  return checked.problems.map(({ path, text }) => `${path}: ${text}`);
}
