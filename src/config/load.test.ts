// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ConfigError } from "./config-error.ts";
import { loadConfig } from "./config-file.ts";
import { DEFAULT_CONFIG } from "./defaults.ts";
import { checkConfigText, expandVariables, parseConfig } from "./load.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-load-"));
after(() => rmSync(folder, { recursive: true }));

describe("the text of zaguan.json", () => {
  it("may have comments, trailing commas and a byte order mark", () => {
    const config = parseConfig('\uFEFF{ // levels\n "log": { "level": "warn", /* last */ },\n}', "zaguan.json", {});
    assert.equal(config.log.level, "warn");
  });

  it("is refused with line and column where it is no JSON, and without repeating it", () => {
    assert.equal(refusal('{\n  "log": secret\n}'), "zaguan.json: line 2, column 10: a value is expected");
    assert.equal(refusal("// only\n"), "zaguan.json: line 2, column 1: the text ends too early: a value is expected");
  });

  it("is refused in one line, whatever its keys contain", () => {
    const message = refusal(JSON.stringify({ "a\nb\u2028c": 1, [`long${"x".repeat(500)}`]: 2 }));
    assert.match(message, /^zaguan\.json: [^\p{Cc}\u2028]+$/u);
    assert.ok(message.length < 300, message);
  });

  it("names three problems and counts the rest", () => {
    const message = refusal('{"a1": 1, "b1": 1, "c1": 1, "d1": 1, "e1": 1}');
    assert.match(message, /"a1".*"b1".*"c1".*\(and 2 more\)$/);
  });

  it("is named by its base name only", () => {
    assert.throws(() => parseConfig("[]", join("/etc/secret-place", "hub.json"), {}), {
      name: "ConfigError",
      message: "hub.json: expected an object, found a list",
    });
  });

  it("never has a value repeated in a message", () => {
    const entries = [{ url: "hunter2" }, { url: "http://a", headers: { X: "hunter2\n" } }, { type: "hunter2" }];
    const forms = [...entries.map((a) => ({ mcpServers: { a } })), { auth: { allowedOrigins: ["hunter2"] } }];
    for (const form of forms) assert.doesNotMatch(refusal(JSON.stringify(form)), /hunter2/);
  });
});

describe("variables in zaguan.json", () => {
  const text = JSON.stringify({ mcpServers: { a: { url: "${BASE}/mcp" } } });

  it("are replaced before the value is checked", () => {
    assert.equal(
      parseConfig(text, "zaguan.json", { BASE: "https://x.example" }).mcpServers["a"]?.url,
      "https://x.example/mcp",
    );
  });

  it("are refused with name and path when they are not set, and nothing else is said of that value", () => {
    assert.equal(refusal(text), "zaguan.json: mcpServers.a.url: the environment variable BASE is not set");
  });

  it("do not hide a misspelt key", () => {
    const message = refusal(JSON.stringify({ mcpServers: { a: { ulr: "${BASE}" } } }));
    assert.match(message, /^zaguan\.json: mcpServers\.a\.ulr: unknown key "ulr" \(did you mean "url"\?\)/);
  });

  it("may stay open for whoever only edits the file, who is still told of everything else", () => {
    checkConfigText(text, "zaguan.json");
    checkConfigText('{"log": {"level": "${LEVEL}"}}', "zaguan.json");
    assert.throws(() => checkConfigText('{"log": {"level": "loud"}}', "zaguan.json"), ConfigError);
  });
});

describe("loading zaguan.json", () => {
  it("gives all defaults when there is no file", async () => {
    assert.deepEqual(await loadConfig(join(folder, "none.json"), {}), DEFAULT_CONFIG);
  });

  it("reads the file", async () => {
    const file = join(folder, "good.json");
    writeFileSync(file, '{"log": {"level": "${LEVEL}"}}');
    assert.equal((await loadConfig(file, { LEVEL: "error" })).log.level, "error");
  });

  it("refuses a file over one mebibyte, one that is not text, and a folder", async () => {
    const large = join(folder, "large.json");
    writeFileSync(large, `{}${" ".repeat(1_048_576)}`);
    await assert.rejects(loadConfig(large, {}), /^ConfigError: large\.json: is larger than 1048576 bytes$/);
    const binary = join(folder, "binary.json");
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    await assert.rejects(loadConfig(binary, {}), /^ConfigError: binary\.json: is not UTF-8 text$/);
    await assert.rejects(loadConfig(folder, {}), /^ConfigError: \S+: is not a file$/);
  });

  it("takes a file of exactly one mebibyte", async () => {
    const file = join(folder, "full.json");
    writeFileSync(file, `{}${" ".repeat(1_048_574)}`);
    assert.deepEqual(await loadConfig(file, {}), DEFAULT_CONFIG);
  });
});

function refusal(text: string): string {
  try {
    parseConfig(text, "zaguan.json", {});
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail("was accepted");
}

describe("variables", () => {
  it("are read from the environment that is handed in, in every text", () => {
    const { value } = expandVariables({ a: ["${X}-${env:Y}", { b: "${X}" }], c: 1, d: null }, { X: "x", Y: "y" });
    assert.deepEqual(value, { a: ["x-y", { b: "x" }], c: 1, d: null });
  });

  it("have a default for unset and for empty", () => {
    const { value, missing } = expandVariables(["${A:-a b}", "${B:-b}", "${C:-c}", "${env:D:-}"], { B: "", C: "set" });
    assert.deepEqual(value, ["a b", "b", "set", ""]);
    assert.deepEqual(missing, []);
  });

  it("are not read again from what they brought, nor from what objects inherit", () => {
    assert.equal(expandVariables("${A}", { A: "${B}", B: "no" }).value, "${B}");
    assert.deepEqual(expandVariables("${constructor}", {}).missing, [
      { path: "", text: "the environment variable constructor is not set" },
    ]);
  });

  it("are told with name and place when they are not set, and stay as they are", () => {
    const { value, missing } = expandVariables({ log: { level: "x${NO_SUCH}" } }, {});
    assert.deepEqual(missing, [{ path: "log.level", text: "the environment variable NO_SUCH is not set" }]);
    assert.deepEqual(value, { log: { level: "x${NO_SUCH}" } });
  });

  it("can be written plainly with a second dollar sign; other dollar signs mean nothing", () => {
    assert.equal(expandVariables("$${A} $A $ ${", { A: "a" }).value, "${A} $A $ ${");
  });

  it("of VS Code's inputs, of editors and of unknown forms are refused", () => {
    const texts = ["${input:tok}", "${userHome}/x", "${command:pick}", "${}"];
    const { problems } = expandVariables(texts, {});
    assert.deepEqual(
      problems.map((problem) => problem.path),
      ["[0]", "[1]", "[2]", "[3]"],
    );
    assert.match(problems[0]?.text ?? "", /^\$\{input:tok\} asks a person in VS Code/);
    assert.match(problems[1]?.text ?? "", /^\$\{userHome\} means something in an editor only/);
    assert.match(problems[2]?.text ?? "", /not understood; write \$\{VAR\}/);
  });

  it("are left to the program where only its own env sets them", () => {
    const entry = { command: "x", args: ["${T}"], env: { T: "secret" } };
    const own = expandVariables({ mcpServers: { a: entry } }, {});
    assert.deepEqual([own.value, own.missing], [{ mcpServers: { a: entry } }, []]);
    const ours = expandVariables({ mcpServers: { a: entry } }, { T: "outer" });
    assert.deepEqual(ours.value, { mcpServers: { a: { ...entry, args: ["outer"] } } });
    assert.equal(expandVariables({ mcpServers: { a: { ...entry, cwd: "${T}" } } }, {}).missing.length, 1);
  });

  it("mean nothing in members that are ignored", () => {
    const form = { mcpServers: { a: { command: "x", description: "${input:x}", tools: ["${NO}"] } } };
    const { value, problems, missing } = expandVariables(form, {});
    assert.deepEqual([value, problems, missing], [form, [], []]);
  });
});

describe("the key __proto__", () => {
  it("is refused anywhere and reaches no object", () => {
    const { value, problems } = expandVariables(JSON.parse('{"a": [{"__proto__": {"polluted": 1}}]}'), {});
    assert.deepEqual(problems, [{ path: "a[0].__proto__", text: '"__proto__" is not allowed as a key' }]);
    assert.equal((value as { a: { polluted?: number }[] }).a[0]?.polluted, undefined);
  });
});
