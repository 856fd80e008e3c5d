/** Completion scripts: every shell can read its own, and bash really completes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { LANGUAGES, say } from "../../messages/catalogue.ts";
import type { Say } from "../command.ts";
import { COMMANDS } from "../commands/index.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

const english: Say = (key, params) => say("en", key, params);
const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

for (const [shell, script] of Object.entries(SHELLS)) {
  const isThere = spawnSync(shell, ["-c", "exit 0"]).status === 0;

  test(`${shell} can read its script in every language`, { skip: isThere ? false : `there is no ${shell}` }, () => {
    for (const language of LANGUAGES) {
      const input = script(COMMANDS, (key, params) => say(language, key, params));
      const { status, stderr } = spawnSync(shell, ["-n"], { input, encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""], language);
    }
  });

  test(`the script for ${shell} knows every command and every option`, () => {
    const text = script(COMMANDS, english);
    for (const { name, options } of COMMANDS) {
      assert.ok(text.includes(name), name);
      for (const option of options) assert.match(text, new RegExp(`(?:--|-l )${option.name}\\b`));
    }
  });
}

describe("bash completes", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["zaguan se", ["serve", "server", "servers"]],
    ["zaguan server re", ["register", "remove", "refresh"]],
    ["zaguan server register x y --auth ", ["none", "apikey", "oauth"]],
    ["zaguan agent create x --auto", ["--autonomy"]],
    ["zaguan export --form ", ["mcpServers", "vscode"]],
    ["zaguan import x --pre", ["--preview"]],
    ["zaguan import x --base", ["--base-url"]],
    ["zaguan key ", ["create", "list", "revoke"]],
    ["zaguan --data x key ", ["create", "list", "revoke"]],
    ["zaguan simulate lights o", ["on", "off"]],
    ["zaguan serve --po", ["--port"]],
    ["zaguan --allow", ["--allow-private"]],
    ["zaguan serve --n", ["--nats", "--node"]],
    ["zaguan call --lang ", [...LANGUAGES]],
    ["zaguan completion ", ["bash", "zsh", "fish"]],
    ["zaguan add x -- ls ", []],
    ["zaguan tools --json ", []],
  ];
  for (const [line, expected] of cases) {
    test(line, () => {
      const words = line.split(" ").map((word) => `'${word}'`);
      const input = `${bashCompletion(COMMANDS, english)}
COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _zaguan; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync("bash", ["--norc"], { input, encoding: "utf8" });
      assert.equal(stderr, "");
      assert.deepEqual(stdout.split("\n").filter(Boolean).sort(), [...expected].sort());
    });
  }
});
