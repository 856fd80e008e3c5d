/** Files of other clients as their own documentation has them, and what becomes of their servers here. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { importServers } from "./edit.ts";
import { parseConfig } from "./load.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-import-"));
after(() => rmSync(folder, { recursive: true }));

interface Fixture {
  readonly client: string;
  readonly text: string;
  /** What a hub with these variables makes of it: type, then the program's line or the URL, then env or headers. */
  readonly env?: Readonly<Record<string, string>>;
  readonly servers: Readonly<Record<string, readonly unknown[]>>;
  readonly variables?: readonly string[];
  readonly inputs?: readonly string[];
}

const FIXTURES: readonly Fixture[] = [
  {
    client: "Claude Desktop, with a local server and mcp-remote",
    text: `{
      "globalShortcut": "Alt+Space",
      "mcpServers": {
        "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"] },
        "home": {
          "command": "npx",
          "args": ["-y", "mcp-remote", "http://home:3003/mcp", "--allow-http", "--header", "Authorization: Bearer \${T}"],
          "env": { "T": "secret" }
        }
      }
    }`,
    servers: {
      filesystem: ["stdio", "npx -y @modelcontextprotocol/server-filesystem /Users/me/Desktop", {}],
      home: [
        "stdio",
        "npx -y mcp-remote http://home:3003/mcp --allow-http --header Authorization: Bearer ${T}",
        { T: "secret" },
      ],
    },
  },
  {
    client: "Claude Code's .mcp.json, with variables and defaults",
    text: `{"mcpServers":{"home":{"type":"http","url":"\${HOME_MCP:-http://home:3003/mcp}",
      "headers":{"Authorization":"Bearer \${T}"}},"old":{"type":"sse","url":"https://old.example.org/sse"}}}`,
    env: { T: "t" },
    servers: {
      home: ["http", "http://home:3003/mcp", { Authorization: "Bearer t" }],
      old: ["sse", "https://old.example.org/sse", {}],
    },
    variables: ["T"],
  },
  {
    client: "Cursor, where a URL alone is enough and variables are of the environment",
    text: `{
      "mcpServers": {
        "home": { "url": "http://home:3003/mcp", "headers": { "Authorization": "Bearer \${env:T}" } },
        "bare": { "url": "https://mcp.example.org/mcp" },
        "python": { "command": "\${userHome}/bin/python", "args": ["server.py"], "env": { "API_KEY": "\${env:KEY}" }, "envFile": "\${workspaceFolder}/.env" }
      }
    }`,
    env: { T: "t", KEY: "k", HOME: "/home/me" },
    servers: {
      home: ["http", "http://home:3003/mcp", { Authorization: "Bearer t" }],
      bare: ["http", "https://mcp.example.org/mcp", {}],
      python: ["stdio", "/home/me/bin/python server.py", { API_KEY: "k" }],
    },
    variables: ["T", "HOME", "KEY"],
  },
  {
    client: "VS Code's mcp.json, with questions, comments and trailing commas",
    text: `{
      // asked for once, then kept
      "inputs": [
        { "type": "promptString", "id": "tok", "description": "token", "password": true },
        { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" },
      ],
      "servers": {
        "home": {
          "type": "http",
          "url": "http://home:3003/mcp", /* or https */
          "headers": { "Authorization": "Bearer \${input:tok}" },
        },
        "io.github.example/notes": {
          "type": "stdio", "command": "npx", "args": ["-y", "notes", "--region=\${input:region}"],
          "env": { "DEBUG": null, "LEVEL": 3 }, "gallery": "https://api.mcp.github.com", "version": "1.0.0",
          "dev": { "watch": "src/**/*.ts" },
        },
        "events": { "type": "sse", "url": "https://events.example.org/sse" },
      },
    }`,
    env: { INPUT_TOK: "t" },
    servers: {
      home: ["http", "http://home:3003/mcp", { Authorization: "Bearer t" }],
      "io.github.example-notes": ["stdio", "npx -y notes --region=eu", { LEVEL: "3" }],
      events: ["sse", "https://events.example.org/sse", {}],
    },
    inputs: ["INPUT_TOK", "INPUT_REGION"],
  },
  {
    client: "VS Code's settings.json",
    text: `{"editor.fontSize": 14, "mcp": {"inputs": [{"type":"promptString","id":"key"}], "servers": {
      "time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"KEY": "\${input:key}"}}}}}`,
    servers: { time: ["stdio", "uvx mcp-server-time", { KEY: "" }] },
    inputs: ["INPUT_KEY"],
  },
  {
    client: "LM Studio's mcp.json",
    text: '{"mcpServers":{"home":{"url":"http://home:3003/mcp","headers":{"Authorization":"Bearer T"}}}}',
    servers: { home: ["http", "http://home:3003/mcp", { Authorization: "Bearer T" }] },
  },
  {
    client: "Cline's cline_mcp_settings.json",
    text: `{"mcpServers":{
      "local":{"autoApprove":["read"],"disabled":false,"timeout":60,"type":"stdio","command":"node","args":["/srv/s.js"],"env":{"A":"b"}},
      "remote":{"autoApprove":[],"disabled":false,"timeout":60,"type":"streamableHttp","url":"https://r.example.org/mcp"},
      "older":{"transportType":"sse","url":"https://o.example.org/sse"}}}`,
    servers: {
      local: ["stdio", "node /srv/s.js", { A: "b" }],
      remote: ["http", "https://r.example.org/mcp", {}],
      older: ["sse", "https://o.example.org/sse", {}],
    },
  },
];

describe("importing a file of", () => {
  for (const { client, text, env = {}, servers, variables = [], inputs = [] } of FIXTURES) {
    it(client, () => {
      const file = join(folder, `${client.replace(/\W+/g, "-")}.json`);
      const result = importServers(file, text, "theirs.json");
      assert.deepEqual(result.skipped, []);
      assert.deepEqual([result.variables, result.inputs], [variables, inputs]);
      const { mcpServers } = parseConfig(readFileSync(file, "utf8"), file, env);
      const read = Object.entries(mcpServers).map(([name, { type, command, args, url, headers, env: own }]) => {
        return [name, url === undefined ? [type, [command, ...args].join(" "), own] : [type, url, headers]];
      });
      assert.deepEqual(Object.fromEntries(read), servers);
    });
  }
});

describe("what is left out", () => {
  const reasonFor = (entry: object): string => {
    const text = JSON.stringify({ servers: { it: entry } });
    return importServers(join(folder, "none.json"), text, "mcp.json").skipped[0]?.reason ?? "";
  };

  it("is what means something in an editor only", () => {
    assert.match(
      reasonFor({ command: "x", cwd: "${workspaceFolder}/src" }),
      /^cwd: .*means something in an editor only/,
    );
    assert.match(reasonFor({ command: "${command:pick.python}" }), /^command: .*not understood/);
  });

  it("is what nobody here can reach", () => {
    assert.match(reasonFor({ type: "http", url: "unix:///run/x.sock#/mcp" }), /^url: expected a URL/);
  });

  it("is what limits a server in a way that would be lost", () => {
    assert.match(reasonFor({ command: "x", disabledTools: ["rm"] }), /disabledTools/);
  });
});
