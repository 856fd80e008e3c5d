/** Edits of zaguan.json: what is written, what is kept, and what is never touched. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ConfigError } from "./config-error.ts";
import { addServer, importServers, removeServer } from "./edit.ts";
import { parseJsonText } from "./load.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-edit-"));
  file = join(folder, "zaguan.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("adding a server", () => {
  it("makes a file for its owner only, in two-space JSON", () => {
    addServer(file, "fs", { command: "npx", args: ["-y", "x"], cwd: undefined });
    assert.equal(
      content(),
      '{\n  "mcpServers": {\n    "fs": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "x"\n      ]\n    }\n  }\n}\n',
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it("keeps comments, other members, their form and the file's mode, and comes last", () => {
    const before =
      '{\n  // mine\n  "log": {"level":"warn"},\n  "mcpServers": {\n    "a": {"command": "x"} // first\n  },\n}\n';
    writeFileSync(file, before);
    chmodSync(file, 0o640);
    addServer(file, "b", { url: "http://b" });
    assert.equal(
      content(),
      '{\n  // mine\n  "log": {"level":"warn"},\n  "mcpServers": {\n    "a": {"command": "x"}, // first\n    "b": {\n      "url": "http://b"\n    }\n  },\n}\n',
    );
    assert.equal(statSync(file).mode & 0o777, 0o640);
  });

  it("works in every shape of file", () => {
    const shapes = [
      "{}",
      "{\n}",
      "{\n  // nothing yet\n}",
      '{\r\n  "log": {},\r\n}\r\n',
      '{"mcpServers":{"a":{"command":"x"}}}',
      '{\n"mcpServers": {}\n}',
      '{\n  "mcpServers": {\n    "a": {"command": "x",}, // , }\n  }\n}',
      '\uFEFF{\n  "mcpServers": { /* , */ }\n}',
      '{\n  "mcpServers": {"a": {"command": "x"}, /* none */ },\n  "log": {"level": "warn"} // end\n}',
    ];
    for (const shape of shapes) {
      writeFileSync(file, shape);
      const before = parseJsonText(shape, "zaguan.json") as { mcpServers?: object };
      addServer(file, "new", { command: "y" });
      assert.deepEqual(parsed(), { ...before, mcpServers: { ...before.mcpServers, new: { command: "y" } } }, shape);
      assert.equal(/\/\/|\/\*/.test(shape), /\/\/|\/\*/.test(content()), `comments of ${shape}`);
      assert.equal(content().replace(/\r\n/g, "").includes("\n"), !shape.includes("\r\n"), `line ends of ${shape}`);
      assert.equal(removeServer(file, "new"), true);
      assert.deepEqual(parsed(), { ...before, mcpServers: before.mcpServers ?? {} }, `taken out of ${shape}`);
    }
  });

  it("refuses a name that is taken, unless it is to be replaced", () => {
    addServer(file, "a", { command: "x" });
    assert.throws(
      () => addServer(file, "a", { command: "y" }),
      /^ConfigError: zaguan\.json: there is a server "a" already$/,
    );
    assert.deepEqual(parsed(), { mcpServers: { a: { command: "x" } } });
    addServer(file, "a", { command: "y" }, { replace: true });
    assert.deepEqual(parsed(), { mcpServers: { a: { command: "y" } } });
  });

  it("refuses what the hub would refuse, and writes nothing", () => {
    assert.throws(() => addServer(file, " a", { command: "x" }), ConfigError);
    assert.throws(() => addServer(file, "__proto__", { command: "x" }), ConfigError);
    assert.throws(() => addServer(file, "a", { comand: "x" }), /did you mean "command"/);
    assert.equal(existsSync(file), false);
  });

  it("takes variables that are not set here: the hub may run elsewhere", () => {
    addServer(file, "a", { url: "${BASE}/mcp" });
    addServer(file, "b", { url: "http://b" });
    assert.deepEqual(parsed(), { mcpServers: { a: { url: "${BASE}/mcp" }, b: { url: "http://b" } } });
  });

  it("never touches a broken file", () => {
    for (const broken of ['{"mcpServers": {', '{"limitz": {}}', '{"mcpServers": []}', ""]) {
      writeFileSync(file, broken);
      assert.throws(() => addServer(file, "a", { command: "x" }), ConfigError);
      assert.throws(() => removeServer(file, "a"), ConfigError);
      assert.throws(() => importServers(file, '{"mcpServers":{"a":{"command":"x"}}}', "s.json"), ConfigError);
      assert.equal(content(), broken);
    }
  });

  it("leaves a symbolic link a link, and no temporary file behind", () => {
    const real = join(folder, "real.json");
    writeFileSync(real, "{}");
    symlinkSync(real, file);
    addServer(file, "a", { command: "x" });
    assert.equal(lstatSync(file).isSymbolicLink(), true);
    assert.match(readFileSync(real, "utf8"), /"a"/);
    assert.deepEqual(readdirSync(folder).sort(), ["real.json", "zaguan.json"]);
  });

  it("says in one line that the folder does not exist", () => {
    const nowhere = join(folder, "none", "zaguan.json");
    assert.throws(() => addServer(nowhere, "a", { command: "x" }), {
      message: "zaguan.json: cannot be written: its folder does not exist",
    });
  });
});

describe("removing a server", () => {
  it("leaves the others as they are", () => {
    writeFileSync(
      file,
      '{\n  "mcpServers": {\n    "a": {"command": "x"}, // a\n    "b": {"command": "y"},\n    "c": {"command":  "z"}\n  }\n}\n',
    );
    assert.equal(removeServer(file, "b"), true);
    assert.equal(
      content(),
      '{\n  "mcpServers": {\n    "a": {"command": "x"}, // a\n    "c": {"command":  "z"}\n  }\n}\n',
    );
    assert.equal(removeServer(file, "c"), true);
    assert.equal(removeServer(file, "a"), true);
    assert.deepEqual(parsed(), { mcpServers: {} });
  });

  it("takes the slug for the name, too", () => {
    addServer(file, "My Files", { command: "x" });
    assert.equal(removeServer(file, "my-files"), true);
    assert.deepEqual(parsed(), { mcpServers: {} });
  });

  it("tells that there was none, and does not make a file for it", () => {
    assert.equal(removeServer(file, "a"), false);
    assert.equal(removeServer(file, "constructor"), false);
    assert.equal(existsSync(file), false);
  });
});

describe("importing servers", () => {
  it("understands mcpServers of Claude Desktop, Cursor and LM Studio, and passes over what stands beside it", () => {
    const text =
      '{"theme": "dark", "mcpServers": {"fs": {"command": "npx"}, "web": {"url": "http://w", "headers": {"A": "${env:T}"}}}}';
    assert.deepEqual(importServers(file, text, "claude_desktop_config.json"), {
      added: ["fs", "web"],
      skipped: [],
      inputs: [],
      variables: ["T"],
      programs: [{ name: "fs", command: "npx", args: [], env: [] }],
    });
    assert.deepEqual(parsed(), {
      mcpServers: { fs: { command: "npx" }, web: { url: "http://w", headers: { A: "${env:T}" } } },
    });
  });

  it("understands VS Code's servers, and puts variables in the place of its questions", () => {
    const text = `{
      "inputs": [{"type": "promptString", "id": "tok", "description": "token", "password": true}],
      "servers": {
        "home": {"type": "http", "url": "http://h/mcp", "headers": {"Authorization": "Bearer \${input:tok}"}}, // asks
        "local": {"type": "stdio", "command": "x", "envFile": "\${workspaceFolder}/.env",},
      },
    }`;
    const result = importServers(file, text, "mcp.json");
    assert.deepEqual([result.added, result.skipped], [["home", "local"], []]);
    assert.deepEqual([result.inputs, result.variables], [["INPUT_TOK"], []]);
    const { home } = (parsed() as { mcpServers: Record<string, object> }).mcpServers;
    assert.deepEqual(home, {
      type: "http",
      url: "http://h/mcp",
      headers: { Authorization: "Bearer ${INPUT_TOK:-}" },
    });
    const settings = '{"mcp": {"servers": {"other": {"command": "y"}}}}';
    assert.deepEqual(importServers(file, settings, "settings.json").added, ["other"]);
  });

  it("understands Cline's members, and other spellings of the URL", () => {
    const entry = { transportType: "stdio", command: "x", autoApprove: ["t"], disabled: true, timeout: 60 };
    const text = JSON.stringify({ mcpServers: { a: entry, b: { serverUrl: "http://b" }, c: { httpUrl: "http://c" } } });
    assert.deepEqual(importServers(file, text, "cline_mcp_settings.json").added, ["a", "b", "c"]);
    assert.deepEqual(parsed(), {
      mcpServers: {
        a: { type: "stdio", command: "x", autoApprove: ["t"], disabled: true, timeout: 60 },
        b: { url: "http://b" },
        c: { url: "http://c" },
      },
    });
  });

  it("skips, with the reason, what is there already and what cannot be used", () => {
    addServer(file, "have", { command: "mine" });
    const text = JSON.stringify({
      mcpServers: {
        have: { command: "theirs" },
        "my server": { command: "mine" },
        my_server: { command: "x" },
        "my-server": { command: "x" },
        " ": { command: "x" },
        old: { url: "gopher://o" },
        odd: { command: "x", disabledTools: ["rm"] },
        none: null,
        good: { command: "y" },
      },
    });
    const { added, skipped } = importServers(file, text, "s.json");
    assert.deepEqual(added, ["my server", "my_server", "my-server", "good"]);
    assert.deepEqual(
      skipped.map(({ name, reason }) => `${name}: ${reason}`),
      [
        "have: there is a server of that name already",
        " : a server's name is a text of 1 to 100 characters on one line, without spaces around it",
        "old: url: expected a URL that begins with http://, https://, ws:// or wss://",
        'odd: disabledTools: unknown key "disabledTools"',
        "none: expected an object, found null",
      ],
    );
    const ours = { have: { command: "mine" }, "my server": { command: "mine" } };
    const others = { my_server: { command: "x" }, "my-server": { command: "x" }, good: { command: "y" } };
    assert.deepEqual(parsed(), { mcpServers: { ...ours, ...others } });
  });

  it("writes nothing when nothing was added", () => {
    importServers(file, '{"servers": {"a": {"url": "gopher://a"}}}', "mcp.json");
    assert.equal(existsSync(file), false);
  });

  it("refuses a text that holds no servers, by its name", () => {
    assert.throws(() => importServers(file, '{"openapi": "3.1.0"}', "/home/x/api.json"), {
      message: 'api.json: has neither "mcpServers" nor "servers"',
    });
    assert.throws(() => importServers(file, "{", "/home/x/api.json"), /^ConfigError: api\.json: line 1, column 2: /);
  });
});

function content(): string {
  return readFileSync(file, "utf8");
}

function parsed(): unknown {
  return parseJsonText(content(), "zaguan.json");
}
