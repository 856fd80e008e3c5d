/** Editing a folder of tools while it is used; every wait is for a condition, with a generous limit. */
import assert from "node:assert/strict";
import { renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FolderUnderTest, moduleOf, until } from "../../test/support/tools-folder.ts";

let folder: FolderUnderTest;

beforeEach(() => {
  folder = new FolderUnderTest();
});
afterEach(() => folder.remove());

describe("a folder of tools is followed:", () => {
  test("a changed file's tools take the place of those it had, and the others stay", async () => {
    folder.write("a.ts", moduleOf("a", "before"));
    folder.write("b.ts", moduleOf("b", "b"));
    await folder.open();
    const [, b] = folder.tools.list();
    let changes = 0;
    folder.tools.onChange(() => changes++);
    folder.write("a.ts", `${moduleOf("a", "after")}${moduleOf("a2", "").split("\n")[1]}`);
    await names("a", "a2", "b");
    assert.equal(await folder.call("a"), "after");
    assert.equal(folder.tools.list().at(-1), b);
    assert.ok(changes > 0);
    assert.deepEqual(folder.lines, []);
  });

  test("files come, are saved by renaming, and go", async () => {
    folder.write("a.ts", moduleOf("a", "1"));
    await folder.open();
    folder.write("b.ts", moduleOf("b", "1"));
    await names("a", "b");
    folder.write("b.ts.tmp", moduleOf("b", "2"));
    renameSync(join(folder.path, "b.ts.tmp"), join(folder.path, "b.ts"));
    await answers("b", "2");
    rmSync(join(folder.path, "b.ts"));
    folder.write("b.ts", moduleOf("b", "3"));
    await answers("b", "3");
    rmSync(join(folder.path, "a.ts"));
    await names("b");
    assert.deepEqual(folder.lines, []);
  });

  test("a name that was ignored is offered when its keeper is gone", async () => {
    folder.write("a.ts", moduleOf("same", "of a"));
    folder.write("b.ts", moduleOf("same", "of b"));
    await folder.open();
    rmSync(join(folder.path, "a.ts"));
    await answers("same", "of b");
    assert.equal(folder.lines.length, 1);
  });

  test("a broken change leaves the tools that were good, until it is mended", async () => {
    folder.write("a.ts", moduleOf("a", "good"));
    await folder.open();
    folder.write("a.ts", `${moduleOf("a", "bad")}let x = ;`);
    await until(
      () => folder.reports.length > 0,
      () => folder.names,
    );
    assert.deepEqual(folder.lines, ["a.ts:3: Expression expected (the tools it had stay)"]);
    assert.equal(await folder.call("a"), "good");
    assert.deepEqual(folder.tools.problems(), folder.reports);
    folder.write("a.ts", moduleOf("a", "mended"));
    await answers("a", "mended");
    assert.deepEqual(folder.tools.problems(), []);
  });

  test("one that was broken from the start is offered when it is mended", async () => {
    folder.write("a.js", "let x = ;");
    await folder.open();
    folder.write("a.js", moduleOf("a", ""));
    await names("a");
  });

  test("what is saved as it was is not loaded again", async () => {
    const counted = `globalThis.loadsCountedByTest = (globalThis.loadsCountedByTest ?? 0) + 1;\n${moduleOf("a", "")}`;
    folder.write("a.ts", counted);
    await folder.open();
    folder.write("a.ts", counted);
    utimesSync(join(folder.path, "a.ts"), 1, 1);
    folder.write("b.ts", moduleOf("b", ""));
    await names("a", "b");
    assert.equal((globalThis as { loadsCountedByTest?: number }).loadsCountedByTest, 1);
  });

  test("what a module imports is part of it, whether it changes or comes at last", async () => {
    folder.write("lib/deep/word.ts", "export const word: string = 'one';");
    folder.write("lib/use.ts", 'export { word } from "./deep/word.ts";');
    const using = (file: string): string =>
      `import { word } from "./lib/${file}";\n${moduleOf("a", "").replace('""', "word")}`;
    folder.write("a.ts", using("use.ts"));
    folder.write("b.ts", using("later.ts").replace('"a"', '"b"'));
    await folder.open();
    assert.deepEqual([folder.names, await folder.call("a")], [["a"], "one"]);
    folder.write("lib/deep/word.ts", "export const word: string = 'two';");
    await answers("a", "two");
    folder.write("lib/later.ts", "export const word = 'at last';");
    await answers("b", "at last");
  });

  test("a folder that comes later, goes and comes back", async () => {
    await folder.open();
    assert.deepEqual(folder.lines, [`the folder of tools ${folder.path} is not there; its tools come when it does`]);
    folder.write("a.ts", moduleOf("a", "1"));
    await names("a");
    assert.deepEqual(folder.tools.problems(), []);
    rmSync(folder.path, { recursive: true });
    await names();
    folder.write("a.ts", moduleOf("a", "2"));
    await answers("a", "2");
    assert.equal(folder.lines.length, 2);
  });

  test("a file in the folder's place is told of", async () => {
    folder.write("../tools", "not a folder");
    await folder.open();
    assert.deepEqual(folder.lines, [`the folder of tools ${folder.path} cannot be read (ENOTDIR)`]);
  });

  test("until it is closed", async () => {
    folder.write("a.ts", "await new Promise(() => {});");
    const opening = folder.open();
    folder.tools.close();
    folder.tools.close();
    await opening;
    folder.write("a.ts", moduleOf("a", ""));
    const other = new FolderUnderTest();
    other.write("a.ts", moduleOf("a", "1"));
    await other.open();
    other.write("a.ts", moduleOf("a", "2"));
    await until(
      async () => (await other.call("a")) === "2",
      () => other.lines,
    );
    other.remove();
    assert.deepEqual([folder.names, folder.lines], [[], []]);
  });
});

async function names(...expected: string[]): Promise<void> {
  await until(
    () => JSON.stringify(folder.names) === JSON.stringify(expected),
    () => [folder.names, folder.lines],
  );
}

async function answers(tool: string, text: string): Promise<void> {
  await until(
    async () => folder.names.includes(tool) && (await folder.call(tool)) === text,
    () => [folder.names, folder.lines],
  );
}
