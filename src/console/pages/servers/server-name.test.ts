/** Names that the hub takes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { freeName, nameOfCommand, nameOfUrl, possibleName } from "./server-name.ts";

/** The rule of the hub. */
const RULE = /^(?!house$)(?!\.{1,2}$)(?!.*__)(?!.*_$)[A-Za-z0-9_.-]{1,64}$/;

describe("what somebody called it becomes possible", () => {
  for (const [said, name] of [
    ["everything", "everything"],
    ["My Server!", "My-Server"],
    ["cámara__sala", "camara_sala"],
    ["a_", "a"],
    ["..", "server"],
    ["服务器", "server"],
    ["house", "house-2"],
    [`${"x".repeat(63)}_y`, "x".repeat(63)],
  ] as const) {
    test(`${said} is ${name}`, () => {
      assert.equal(possibleName(said), name);
      assert.match(possibleName(said), RULE);
    });
  }
});

test("a taken name gets a number", () => {
  assert.equal(freeName("a", new Set()), "a");
  assert.equal(freeName("a", new Set(["a", "a-2"])), "a-3");
});

describe("a name out of what there is", () => {
  for (const [line, name] of [
    ["npx -y @modelcontextprotocol/server-everything@1.2", "everything"],
    ["uvx mcp-server-git --repository /srv", "git"],
    ["uv run weather", "weather"],
    ["node /opt/tools/clock/dist/index.js", "clock"],
    ["/usr/bin/notes-mcp", "notes"],
    ["docker run -i --rm mcp/fetch", "fetch"],
    ["node", "node"],
  ] as const) {
    test(line, () => {
      const [command = "", ...args] = line.split(" ");
      assert.equal(nameOfCommand(command, args), name);
    });
  }

  for (const [url, name] of [
    ["https://mcp.shop.example/mcp", "shop"],
    ["https://www.example.com", "example"],
    ["http://127.0.0.1:3001/mcp", "127.0.0.1"],
    ["http://localhost:1", "localhost"],
    ["no url", "server"],
  ] as const) {
    test(url, () => assert.equal(nameOfUrl(url), name));
  }
});
