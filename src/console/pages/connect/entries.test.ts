/** A real shell reads the commands, and says what it has read. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { quoted } from "../../kit/copy.ts";
import { claudeCommand, curlCommand, stdioCommand } from "./entries.ts";
import { HUB, type Place } from "./place.ts";

/** The words that a shell makes of a command. */
function wordsOf(command: string): readonly string[] {
  const said = execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  return said.split("\0").slice(0, -1);
}

const HARD = ["it's", 'say "x"', "$HOME $(id) `id`", "a\\b", "客厅 *", "-x", "two\nlines", "!history"];
const place: Place = { base: "http://127.0.0.1:3003/", target: HUB, key: undefined };

describe("a shell reads", () => {
  it("every text as it was", () => {
    for (const text of HARD) assert.deepEqual(wordsOf(quoted(text)), [text]);
    assert.equal(quoted("http://h:1/mcp"), "http://h:1/mcp");
  });

  it("the command for Claude Code", () => {
    assert.deepEqual(wordsOf(claudeCommand(place)).slice(3), [
      "--transport",
      "http",
      "zaguan",
      "http://127.0.0.1:3003/mcp",
    ]);
    const words = wordsOf(claudeCommand({ ...place, target: { kind: "agent", name: "Ana's den" }, key: "zgn_k" }));
    assert.deepEqual(words.slice(3), [
      "--transport",
      "http",
      "zaguan-Ana-s-den",
      "http://127.0.0.1:3003/agents/Ana%27s%20den/mcp",
      "--header",
      "Authorization: Bearer zgn_k",
    ]);
  });

  it("the request of curl, whatever the arguments are", () => {
    for (const text of HARD) {
      const command = curlCommand({ ...place, key: "zgn_k" }, "tools/call", { name: "t", arguments: { text } });
      const words = wordsOf(command);
      assert.equal(words[1], "http://127.0.0.1:3003/mcp");
      assert.ok(words.includes("authorization: Bearer zgn_k"));
      assert.deepEqual((JSON.parse(words.at(-1) ?? "") as { params: object }).params, {
        name: "t",
        arguments: { text },
      });
    }
    assert.doesNotMatch(curlCommand(place, "tools/list", {}), /authorization/i);
  });

  it("the name of an agent", () => {
    const command = stdioCommand({ ...place, target: { kind: "agent", name: "Ana's den" } });
    assert.deepEqual(wordsOf(command), ["zaguan", "stdio", "--agent", "Ana's den"]);
    assert.equal(stdioCommand(place), "zaguan stdio");
  });
});
