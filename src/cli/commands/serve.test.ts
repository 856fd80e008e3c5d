/** What `zaguan serve` prints can be pasted. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseConfig } from "../../config/load.ts";
import { say } from "../../messages/catalogue.ts";
import { greeting } from "./serve.ts";

const URL = "http://127.0.0.1:3003";

function greet(config: object, host = "127.0.0.1"): string {
  const parsed = parseConfig(JSON.stringify(config), "zaguan.json", {});
  return greeting({ url: URL, host, config: parsed }, (key, params) => say("en", key, params));
}

describe("the greeting", () => {
  test("has the entry, the line for Claude Code, and a request that switches on a lamp", () => {
    const text = greet({});
    assert.ok(text.includes('{"mcpServers":{"zaguan":{"url":"http://127.0.0.1:3003/mcp"}}}'));
    assert.ok(text.includes("claude mcp add --transport http zaguan http://127.0.0.1:3003/mcp\n"));
    const body = /curl http:\/\/127\.0\.0\.1:3003\/mcp .*-d '([^']+)'/.exec(text)?.[1] ?? "";
    assert.deepEqual(JSON.parse(body).params, { name: "set_light_state", arguments: { name: "salon", on: true } });
    assert.doesNotMatch(text, /YOUR_KEY/);
  });

  test("names a lamp that the house has, quotes and all", () => {
    const body = /-d '([^']+)'/.exec(greet({ devices: { house: { lights: ["l'entrée"] } } }))?.[1] ?? "";
    assert.equal(JSON.parse(body).params.arguments.name, "l'entrée");
  });

  test("has no lamp where there is no house, or no lamp in it", () => {
    assert.doesNotMatch(greet({ devices: { house: false } }), /curl/);
    assert.doesNotMatch(greet({ devices: { house: { lights: [] } } }), /curl/);
  });

  test("has a place for the key where one is asked for", () => {
    for (const text of [greet({ auth: { requireKey: true } }), greet({}, "0.0.0.0")]) {
      assert.equal(text.split("Bearer YOUR_KEY").length - 1, 3);
      assert.match(text, /zaguan key create/);
    }
  });
});
