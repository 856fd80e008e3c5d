/** What modules let go of, in a process of its own: the test runner would take it for its own failure. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FolderUnderTest } from "../../test/support/tools-folder.ts";

const FOLDER = new URL("./folder.ts", import.meta.url).href;
let folder: FolderUnderTest;

beforeEach(() => {
  folder = new FolderUnderTest();
});
afterEach(() => folder.remove());

describe("what nobody catches", () => {
  test("in a module or a handler, at once or later, is reported, and the process goes on", () => {
    folder.write(
      "careless.ts",
      `import { writeFile } from "node:fs/promises";
import { addTool } from "zaguan/tools";
void writeFile("/nonexistent/loaded", "");
addTool({ name: "promise", description: "d", handler: () => { void writeFile("/nonexistent/called", ""); return true; } });
addTool({ name: "timer", description: "d", handler: () => { setTimeout(() => { throw new Error("late"); }, 5); return true; } });
addTool({ name: "abort", description: "d", handler: (_args, { signal }) => {
  signal.addEventListener("abort", () => { throw new Error("on leaving"); });
  return true;
} });
addTool({ name: "text", description: "d", handler: () => { Promise.reject("only words"); return true; } });
`,
    );
    const { status, stdout, stderr } = run(`
      const leaving = new AbortController();
      for (const tool of folder.list()) await tool.handler({}, { language: "en", signal: leaving.signal });
      setTimeout(() => leaving.abort(), 1);
      await until(() => reports.length >= 5);
      reports.sort();
      console.log(reports.join("\\n"));
    `);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.deepEqual(stdout.trim().split("\n"), [
      "careless.ts: ENOENT: no such file or directory, open '/nonexistent/called' (nothing in the module catches this)",
      "careless.ts: ENOENT: no such file or directory, open '/nonexistent/loaded' (nothing in the module catches this)",
      "careless.ts: only words (nothing in the module catches this)",
      "careless.ts:5: late (nothing in the module catches this)",
      "careless.ts:7: on leaving (nothing in the module catches this)",
    ]);
  });

  test("of the program itself ends it as ever", () => {
    folder.write("a.ts", "");
    for (const failure of [
      'Promise.reject(new Error("ours"));',
      'setTimeout(() => { throw new Error("ours"); }, 1);',
    ]) {
      const { status, stderr } = run(`${failure}\nawait new Promise((resolve) => setTimeout(resolve, 20_000));`);
      assert.equal(status, 1, failure);
      assert.match(stderr, /Error: ours\n/);
    }
  });

  test("of the program itself is left to whoever asked for it", () => {
    folder.write("a.ts", "");
    const { status, stdout } = run(`
      let heard = 0;
      for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, () => heard++);
      Promise.reject(new Error("one"));
      setTimeout(() => { throw new Error("two"); }, 1);
      await until(() => heard === 2);
      console.log("alive");
    `);
    assert.deepEqual([status, stdout], [0, "alive\n"]);
  });
});

function run(body: string): { status: number | null; stdout: string; stderr: string } {
  const program = `
    import { sayReport, ToolsFolder } from ${JSON.stringify(FOLDER)};
    const reports = [];
    const folder = new ToolsFolder({ folder: ${JSON.stringify(folder.path)}, onReport: (report) => reports.push(sayReport(report)) });
    const until = async (done) => { while (!done()) await new Promise((resolve) => setTimeout(resolve, 5)); };
    await folder.ready;
    ${body}
    folder.close();
  `;
  const options = { encoding: "utf8", timeout: 25_000 } as const;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", program], options);
}
