// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are what people write in the file
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { DEFAULT_CONFIG } from "./defaults.ts";
import { ConfigError, checkConfigText, parseConfig } from "./load.ts";
import { loadConfig } from "./open.ts";

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
