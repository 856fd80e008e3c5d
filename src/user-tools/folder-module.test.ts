import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FolderUnderTest, moduleOf } from "../../test/support/tools-folder.ts";
import { FolderModule } from "./folder-module.ts";
import { installHooks } from "./hooks.ts";

let folder: FolderUnderTest;
let module: FolderModule;
let failures: string[];

beforeEach(() => {
  installHooks();
  folder = new FolderUnderTest();
  failures = [];
  module = new FolderModule(join(folder.path, "a.ts"), 20_000, {
    onChange: () => {},
    onRead: () => {},
    onFailure: ({ message }) => failures.push(message),
  });
});
afterEach(() => {
  module.close();
  folder.remove();
});

describe("one module of a folder", () => {
  test("keeps its newest version although an older one is ready later", async () => {
    const gate = Promise.withResolvers<void>();
    const passed = Promise.withResolvers<void>();
    Object.assign(globalThis, { gateOfTest: gate.promise, passedInTest: passed.resolve });
    folder.write("a.ts", `await globalThis.gateOfTest;\n${moduleOf("old", "")}globalThis.passedInTest();`);
    const old = module.load();
    folder.write("a.ts", moduleOf("new", ""));
    await Promise.all([old, module.load()]);
    gate.resolve();
    await passed.promise;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([names(), failures], [["new"], []]);
  });

  test("is stale when what it read is another or gone, but not while it is itself just being saved", async () => {
    folder.write("lib/b.ts", "export const b = 1;");
    folder.write("a.ts", `import "./lib/b.ts";\n${moduleOf("a", "")}`);
    await module.load();
    assert.equal(await module.isStale(), false);
    rmSync(join(folder.path, "a.ts"));
    assert.equal(await module.isStale(), false);
    folder.write("a.ts", `import "./lib/b.ts";\n${moduleOf("a2", "")}`);
    assert.equal(await module.isStale(), true);
    await module.load();
    assert.deepEqual([names(), await module.isStale()], [["a2"], false]);
    rmSync(join(folder.path, "lib/b.ts"));
    assert.equal(await module.isStale(), true);
    await module.load();
    assert.match(failures.join("\n"), /^Cannot find module .*b\.ts.* \(the tools it had stay\)$/);
    assert.deepEqual([names(), await module.isStale()], [["a2"], false]);
    folder.write("lib/b.ts", "export const b = 2;");
    assert.equal(await module.isStale(), true);
  });
});

function names(): string[] {
  return module.added.map(({ tool }) => tool.name);
}
