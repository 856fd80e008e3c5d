/** Loading a real folder of real modules, far from any package. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { FolderUnderTest, moduleOf, until } from "../../test/support/tools-folder.ts";

const warnings: Error[] = [];
process.on("warning", (warning) => warnings.push(warning));
let folder: FolderUnderTest;

beforeEach(() => {
  folder = new FolderUnderTest();
});
afterEach(() => folder.remove());

describe("a folder of tools", () => {
  test("gives the tools of every module in the order of the files' names, and of nothing else", async () => {
    folder.write("b.js", moduleOf("second", "2"));
    folder.write("c.mjs", moduleOf("third", "3"));
    folder.write(
      "a.ts",
      `${moduleOf("first", "1")}interface Typed { readonly it: boolean }\nexport const typed: Typed = { it: true };`,
    );
    for (const other of [".hidden.ts", "types.d.ts", "a.test.ts", "sub/d.ts", "notes.txt", "a.ts~", "e.cjs"]) {
      folder.write(other, 'throw new Error("not to be loaded");');
    }
    await folder.open();
    assert.deepEqual(folder.names, ["first", "second", "third"]);
    assert.equal(await folder.call("first"), "1");
    assert.deepEqual(folder.lines, []);
    assert.deepEqual(folder.tools.problems(), []);
  });

  test("takes managers, at once or later, beside what modules add themselves", async () => {
    folder.write("a.ts", "export default (addTool) => addTool({ name: 'a', description: 'd', handler: () => true });");
    folder.write(
      "b.ts",
      `import type { Manager } from "zaguan/tools";
       const group: Manager = async (addTool) => {
         await new Promise((resolve) => setTimeout(resolve, 20));
         for (const name of ["b1", "b2"]) addTool({ name, description: "d", handler: () => name });
       };
       export default group;`,
    );
    folder.write(
      "c.ts",
      `${moduleOf("c1", "")}export default (addTool) => addTool({ name: "c2", description: "d", handler: () => 2 });`,
    );
    folder.write("d.ts", "export const nothing = 0;");
    await folder.open();
    assert.deepEqual(folder.names, ["a", "b1", "b2", "c1", "c2"]);
    assert.equal(await folder.call("b2"), "b2");
    assert.deepEqual(folder.lines, []);
  });

  test("knows 'zaguan/tools' as itself, whatever is installed beside, and all files as ES modules", async () => {
    folder.write("package.json", '{ "type": "commonjs" }');
    folder.write("node_modules/zaguan/package.json", '{ "name": "zaguan", "exports": { "./tools": "./other.js" } }');
    folder.write("node_modules/zaguan/other.js", "exports.addTool = () => { throw new Error('the wrong one'); };");
    folder.write("a.ts", moduleOf("a", "typed"));
    folder.write("b.js", moduleOf("b", "plain"));
    await folder.open();
    assert.deepEqual([folder.names, folder.lines], [["a", "b"], []]);
  });

  test("lets modules use packages, data and files beside them", async () => {
    folder.write("node_modules/greet/package.json", '{ "name": "greet", "exports": "./index.cjs" }');
    folder.write("node_modules/greet/index.cjs", "module.exports = (name) => 'hello ' + name;");
    folder.write("lib/names.json", '["Ana"]');
    folder.write(
      "lib/first.ts",
      'import names from "./names.json" with { type: "json" };\nexport const first: string = names[0];',
    );
    folder.write(
      "a.ts",
      `import { addTool } from "zaguan/tools";
       import greet from "greet";
       import { first } from "./lib/first.ts";
       addTool({ name: "a", description: "d", handler: async () => greet((await import("./lib/first.ts")).first) + first });`,
    );
    await folder.open();
    assert.equal(await folder.call("a"), "hello AnaAna");
  });

  test("may be full of links", async () => {
    folder.write("../elsewhere/lib.ts", "export const word = 'linked';");
    folder.write(
      "../elsewhere/real.ts",
      `import { word } from "./lib.ts";\n${moduleOf("a", "").replace('""', "word")}`,
    );
    folder.write("b.ts", moduleOf("b", ""));
    symlinkSync(join(folder.path, "../elsewhere/real.ts"), join(folder.path, "a.ts"));
    symlinkSync(join(folder.path, "nowhere.ts"), join(folder.path, "c.ts"));
    await folder.open();
    assert.deepEqual(folder.names, ["a", "b"]);
    assert.equal(await folder.call("a"), "linked");
    assert.deepEqual(folder.lines, ["c.ts: there is no such file"]);
  });
});

describe("whose tools they are", () => {
  test("is known although modules are loaded side by side and share what they call", async () => {
    folder.write(
      "lib/add.ts",
      `import { addTool } from "zaguan/tools";
       export const addLater = async (name: string, ms: number) => {
         await new Promise((resolve) => setTimeout(resolve, ms));
         addTool({ name, description: "d", handler: () => name });
       };`,
    );
    const using = (...lines: string[]): string => ['import { addLater } from "./lib/add.ts";', ...lines].join("\n");
    folder.write("a.ts", using("await addLater('a1', 30);", "await addLater('a2', 0);"));
    folder.write("b.ts", using("await addLater('b1', 10);", "await addLater('b2', 30);"));
    folder.write("c.ts", using("await addLater('c1', 0);", "throw new Error('no c');"));
    await folder.open();
    assert.deepEqual(folder.names, ["a1", "a2", "b1", "b2"]);
    assert.deepEqual(folder.lines, ["c.ts:3: no c"]);
  });

  test("is known even long after the module was loaded", async () => {
    folder.write(
      "a.ts",
      `import { addTool } from "zaguan/tools";
       addTool({ name: "find", description: "d", handler: () => {
         addTool({ name: "found", description: "d", handler: () => "here" });
         return true;
       } });`,
    );
    await folder.open();
    let changes = 0;
    folder.tools.onChange(() => changes++);
    await folder.call("find");
    assert.deepEqual([folder.names, changes], [["find", "found"], 1]);
    assert.equal(await folder.call("found"), "here");
  });

  test("matters where two have one name: the first is kept and the other told of", async () => {
    folder.write("a.ts", moduleOf("same", "of a"));
    folder.write("b.ts", `\n${moduleOf("same", "of b")}${moduleOf("other", "").split("\n")[1]}`);
    folder.write("c.ts", `${moduleOf("twice", "1")}${moduleOf("twice", "2").split("\n")[1]}`);
    await folder.open();
    assert.deepEqual(folder.names, ["same", "other", "twice"]);
    assert.deepEqual([await folder.call("same"), await folder.call("twice")], ["of a", "1"]);
    assert.deepEqual(folder.lines, [
      'b.ts:3: the tool "same" is ignored: a.ts has one of this name',
      'c.ts:3: the tool "twice" is ignored: c.ts has one of this name',
    ]);
    assert.deepEqual(new Set(folder.reports.map(({ severity }) => severity)), new Set(["warning"]));
  });
});

describe("a broken module is reported and does not stop the others:", () => {
  const broken: readonly (readonly [string, string, string, RegExp])[] = [
    ["no TypeScript", "x.ts", "\nconst a: number = = 3;", /^x\.ts:2: Expression expected$/],
    ["TypeScript that is more than types", "x.ts", "\n\nenum A { B }", /^x\.ts:3: TypeScript enum is not supported/],
    ["no JavaScript", "x.js", 'import "node:fs";\n\nlet a = = 3;', /^x\.js:3: Unexpected token '='$/],
    ["an import of nothing", "x.ts", '\nimport a from "not-there";', /^x\.ts:2: Cannot find package 'not-there'/],
    [
      "an import of no file",
      "x.ts",
      "\n\nimport './lib/a.ts';",
      /^x\.ts:3: Cannot find module '.*a\.ts' imported from [^?]*$/,
    ],
    [
      "a name that we do not have",
      "x.ts",
      '\nimport { add } from "zaguan/tools";',
      /^x\.ts:2: .*no.*export named 'add'$/,
    ],
    ["an error while it runs", "x.ts", "const a: unknown = 1;\n\nnowhere();", /^x\.ts:3: nowhere is not defined$/],
    ["an error without words", "x.ts", "\nthrow new RangeError();", /^x\.ts:2: RangeError$/],
    ["something else thrown", "x.ts", "throw 'a text';", /^x\.ts: a text$/],
    ["a rejection", "x.mjs", "await null;\nawait Promise.reject(new Error('no'));", /^x\.mjs:2: no$/],
    ["a manager that throws", "x.ts", "export default () => {\n  throw new Error('no');\n};", /^x\.ts:2: no$/],
    [
      "a manager that is none",
      "x.ts",
      "export default { tools: [] };",
      /^x\.ts: the default export must be a function/,
    ],
    [
      "a tool that cannot be",
      "x.ts",
      'import { addTool, integer } from "zaguan/tools";\naddTool({\n  name: "die", description: "d",\n  properties: { n: integer({ max: 6, default: 7 }) }, handler: () => 4 });',
      /^x\.ts:2: addTool\("die"\): property "n": default 7 is above maximum 6$/,
    ],
  ];
  for (const [what, file, text, line] of broken) {
    test(what, async () => {
      folder.write("a.ts", moduleOf("a", ""));
      folder.write(file, `${text}`);
      folder.write("z.ts", moduleOf("z", ""));
      await folder.open();
      assert.deepEqual(folder.names, ["a", "z"]);
      assert.equal(folder.lines.length, 1, folder.lines.join("\n"));
      assert.match(folder.lines[0] ?? "", line);
      assert.deepEqual(folder.tools.problems(), folder.reports);
    });
  }

  test("the line is that of the file to blame", async () => {
    folder.write("a.ts", 'import "./lib/bad.ts";');
    folder.write("b.js", 'import "./lib/bad.js";');
    folder.write("lib/bad.ts", "\n\nlet a = ;");
    folder.write("lib/bad.js", "\nlet a = ;");
    await folder.open();
    assert.deepEqual(folder.lines, ["lib/bad.js:2: Unexpected token ';'", "lib/bad.ts:3: Expression expected"]);
  });

  test("nothing that it added is offered", async () => {
    folder.write("a.ts", `${moduleOf("a", "")}throw new Error("after all");`);
    await folder.open();
    assert.deepEqual([folder.names, folder.lines], [[], ["a.ts:3: after all"]]);
  });

  test("one that never ends is not waited for, and welcome when it does", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(globalThis, { waitedForByTest: promise });
    folder.write("a.ts", `await globalThis.waitedForByTest;\n${moduleOf("a", "")}`);
    folder.write("b.ts", "export default () => new Promise(() => {});");
    folder.write("c.ts", moduleOf("c", ""));
    await folder.open(5_000);
    assert.deepEqual(folder.names, ["c"]);
    assert.deepEqual(folder.lines, [
      "a.ts: did not finish loading within 5 s",
      "b.ts: did not finish loading within 5 s",
    ]);
    resolve();
    await until(
      () => folder.names.length === 2,
      () => folder.names,
    );
    assert.deepEqual(folder.names, ["a", "c"]);
    assert.deepEqual(
      folder.tools.problems().map(({ file }) => file),
      ["b.ts"],
    );
  });
});

test("Node warned of none of it", async () => {
  await setImmediate();
  assert.deepEqual(warnings, []);
});
