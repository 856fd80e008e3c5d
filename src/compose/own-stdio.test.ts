import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { cleanEnvironment, zaguanCommand } from "../../test/support/spawn-zaguan.ts";

const LINE_BYTES = 2048;
const folder = mkdtempSync(join(tmpdir(), "own-stdio-"));
const configFile = join(folder, "zaguan.json");
writeFileSync(configFile, JSON.stringify({ limits: { lineBytes: LINE_BYTES } }));

describe("a line that is longer than we take", () => {
  after(() => rmSync(folder, { recursive: true }));
  const long = "x".repeat(LINE_BYTES + 1);

  it("is answered in MCP, without an id, and the next is served", () => {
    const answers = talk(["stdio"], [long, '{"jsonrpc":"2.0","id":2,"method":"ping"}']);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code, error?.message]),
      [
        [null, -32600, "Too large: a line is limited to 2048 bytes"],
        [2, undefined, undefined],
      ],
    );
  });

  it("is answered in the line protocol, in its turn and in the client's language", () => {
    const unknown = '{"type":"call","id":1,"tool":"nobody"}';
    const answers = talk(["stdio", "--line"], [unknown, long, unknown.replace("1", "2")]);
    assert.deepEqual(
      answers.slice(1).map(({ type, id }) => [type, id]),
      [
        ["error", 1],
        ["error", null],
        ["error", 2],
      ],
    );
    assert.equal(answers[2]?.error, "Demasiado grande: a line se limita a 2048 bytes");
  });
});

// biome-ignore lint/suspicious/noExplicitAny: two protocols, and the assertions say what is expected of each.
function talk(words: readonly string[], lines: readonly string[]): any[] {
  const { command, args } = zaguanCommand(...words, "--config", configFile, "--data", join(folder, "data"));
  const input = `${lines.join("\n")}\n`;
  const { stdout, stderr, status } = spawnSync(command, args, { cwd: folder, env: cleanEnvironment(), input });
  assert.equal(status, 0, stderr.toString());
  const said = stdout.toString().trimEnd().split("\n");
  return said.map((line) => JSON.parse(line));
}
