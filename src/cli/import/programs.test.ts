/** `zaguan import` of another client's file: what would run on this machine is shown, and nothing is written before a yes. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, test } from "node:test";
import { main } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "zaguan-programs-"));
const theirs = join(folder, "theirs.json");
const own = join(folder, "zaguan.json");
afterEach(() => rmSync(own, { force: true }));
after(() => rmSync(folder, { recursive: true }));

const PROGRAM = { command: "npx", args: ["-y", "a package", "--flag=1"], env: { TOKEN: "hunter2", MODE: "x" } };
const SERVERS = { tool: PROGRAM, far: { url: "https://far.example/mcp" } };
const LINE = "tool: npx -y 'a package' --flag=1 (environment: TOKEN, MODE)";

/** `answer` is what somebody at a terminal says; without it there is none. */
async function imported(servers: object, words: readonly string[] = [], answer?: string) {
  writeFileSync(theirs, JSON.stringify({ mcpServers: servers }));
  let [out, err, asked] = ["", "", ""];
  const ask = async (question: string): Promise<string> => {
    asked = question;
    return answer ?? "";
  };
  const code = await main(["import", theirs, ...words], {
    env: { ZAGUAN_DATA: join(folder, "data"), ZAGUAN_CONFIG: own },
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    ...(answer !== undefined && { ask }),
  });
  const written = existsSync(own) ? Object.keys(JSON.parse(readFileSync(own, "utf8")).mcpServers) : [];
  return { code, out, err, asked, written };
}

describe("importing servers that are programs", () => {
  test("shows each command with the names of its variables and asks; a yes writes them", async () => {
    const { code, err, asked, written } = await imported(SERVERS, [], "y");
    assert.ok(err.includes(`  ${LINE}\n`), err);
    assert.doesNotMatch(err, /hunter2/);
    assert.match(asked, /^Write .* into zaguan\.json\? \[y\/N\] $/);
    assert.deepEqual([code, written], [0, ["tool", "far"]]);
  });

  for (const answer of ["", "n", "yes please", "q"]) {
    test(`writes nothing after ${JSON.stringify(answer)}`, async () => {
      const { code, out, err, written } = await imported(SERVERS, [], answer);
      assert.deepEqual([code, out, written], [1, "", []]);
      assert.match(err, /Nothing was imported/);
    });
  }

  test("takes a yes in each of its languages", async () => {
    for (const [language, answer] of [
      ["es", "sí"],
      ["fr", "Oui"],
      ["zh", "是"],
      ["en", " YES "],
    ] as const) {
      assert.deepEqual((await imported(SERVERS, ["--lang", language], answer)).written, ["tool", "far"], language);
      rmSync(own);
    }
  });

  test("needs --yes where nobody can be asked, and shows what would run", async () => {
    const refused = await imported(SERVERS);
    assert.ok(refused.err.includes(`  ${LINE}\n`), refused.err);
    assert.match(refused.err, /--yes/);
    assert.deepEqual([refused.code, refused.out, refused.written], [1, "", []]);
    const { code, err, written } = await imported(SERVERS, ["--yes"]);
    assert.ok(err.includes(LINE));
    assert.deepEqual([code, written], [0, ["tool", "far"]]);
  });

  test("asks nothing where nothing would run", async () => {
    const { code, err, written } = await imported({ far: SERVERS.far });
    assert.deepEqual([code, err, written], [0, "", ["far"]]);
  });

  test("previews without asking or writing, as JSON too", async () => {
    const { code, err, written } = await imported(SERVERS, ["--preview"], "y");
    assert.ok(err.includes(`  ${LINE}\n`), err);
    assert.match(err, /Nothing was imported/);
    assert.deepEqual([code, written], [0, []]);
    const { added, programs } = JSON.parse((await imported(SERVERS, ["--preview", "--json"])).out);
    assert.deepEqual(added, ["tool", "far"]);
    assert.deepEqual(programs, [{ name: "tool", command: "npx", args: PROGRAM.args, env: ["TOKEN", "MODE"] }]);
  });

  test("shows what a command hides", async () => {
    const { err } = await imported({ a: { command: "x", args: ["safe\u202Eevil", "b\u200B", "c\nd"], cwd: "/else" } });
    assert.ok(err.includes("  a: x 'safe⟨U+202E⟩evil' 'b⟨U+200B⟩' 'c d' (in /else)\n"), err);
  });
});
