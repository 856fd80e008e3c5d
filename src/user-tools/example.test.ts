/** `examples/own-tools/`, loaded as a hub loads it, and compiled as its author's editor compiles it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Language } from "../messages/catalogue.ts";
import { type ModuleReport, ToolsFolder } from "./folder.ts";
import { runTool } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = join(ROOT, "examples", "own-tools");
const TOOLS = join(EXAMPLE, "tools");

describe("the example of tools of one's own", () => {
  const scratch = mkdtempSync(join(tmpdir(), "zaguan-example-"));
  const reports: ModuleReport[] = [];
  let folder: ToolsFolder;

  before(async () => {
    process.env["NOTES_FILE"] = join(scratch, "notes.txt");
    folder = new ToolsFolder({ folder: TOOLS, onReport: (report) => reports.push(report) });
    await folder.ready;
  });
  after(() => {
    folder.close();
    delete process.env["NOTES_FILE"];
    rmSync(scratch, { recursive: true, force: true });
  });

  test("loads without complaint", () => {
    assert.deepEqual(
      folder.list().map(({ name }) => name),
      ["days_until", "roll_dice", "note_write", "note_read"],
    );
    assert.deepEqual(reports, []);
  });

  test("rolls dice", async () => {
    const { rolls, sum } = JSON.parse(await call("roll_dice", { dice: 5, sides: 4 })) as {
      rolls: number[];
      sum: number;
    };
    assert.equal(rolls.length, 5);
    assert.ok(rolls.every((roll) => roll >= 1 && roll <= 4));
    assert.equal(
      sum,
      rolls.reduce((a, b) => a + b),
    );
    assert.equal((JSON.parse(await call("roll_dice", {})) as { rolls: number[] }).rolls.length, 1);
  });

  test("counts days in the caller's language, and says what is no date", async () => {
    assert.match(await call("days_until", { date: "2001-01-01" }, "es"), /^hace [\d.]+ días$/);
    assert.match(await call("days_until", { date: "9001-01-01" }, "zh"), /^[\d,]+天后$/);
    assert.equal(await call("days_until", { date: "soon" }), '"soon" is no date; write it as in 2030-12-24');
  });

  test("keeps notes", async () => {
    assert.equal(await call("note_read", {}), "No notes yet");
    assert.equal(await call("note_write", { text: "buy\n milk" }), "true");
    assert.equal(await call("note_write", { text: "call Ana" }), "true");
    assert.equal(await call("note_write", { text: " " }), "There is nothing to write down");
    assert.equal(await call("note_read", {}), "call Ana\nbuy milk");
    assert.equal(await call("note_read", { most: 1 }), "call Ana");
  });

  test("is shown in its README as it is", () => {
    const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8");
    assert.ok(readme.includes(`\`\`\`ts\n${readFileSync(join(TOOLS, "dice.ts"), "utf8")}\`\`\``));
    for (const file of readdirSync(TOOLS)) assert.ok(readme.includes(`tools/${file}`), file);
  });

  test("compiles with the types of the package", () => {
    const project = join(scratch, "tsconfig.json");
    const paths = { "zaguan/tools": [join(ROOT, "src", "user-tools", "index.ts")] };
    const compilerOptions = { paths, typeRoots: [join(ROOT, "node_modules", "@types")] };
    writeFileSync(project, JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, include: [TOOLS] }));
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "--project", project], { encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
  });

  async function call(name: string, args: object, language: Language = "en"): Promise<string> {
    const tool = folder.list().find((each) => each.name === name);
    assert.ok(tool, name);
    const result = await runTool(tool, args, { language, signal: new AbortController().signal });
    return (result.value as { content: [{ text: string }] }).content[0].text;
  }
});
