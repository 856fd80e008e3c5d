/**
 * The architecture, held by a test: who may import whom (the table is in support/layers.ts), what no file may do, and
 * how large files may grow. The checker itself is fed with bad code first, so that it is known to complain.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { breaches, importsOf, MAY_IMPORT } from "./support/layers.ts";

const SRC = fileURLToPath(new URL("../src", import.meta.url));
const FILES = globSync("**/*.ts", { cwd: SRC })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => !file.endsWith(".test.ts"))
  .sort();

describe("the source keeps its architecture", () => {
  test("there is a source to look at", () => {
    assert.ok(FILES.includes("errors.ts") && FILES.includes("core/call.ts"), FILES.join(" "));
  });

  test("every folder and file directly in src has a row in the table", () => {
    const tops = new Set(FILES.map((file) => file.split("/")[0] ?? file));
    assert.deepEqual(
      [...tops].filter((top) => !MAY_IMPORT[top]),
      [],
    );
  });

  for (const file of FILES) {
    test(file, () => assert.deepEqual(breaches(file, read(file)), []));
  }
});

describe("files stay small", () => {
  const lines = FILES.map((file) => read(file).split("\n").length - 1).sort((a, b) => a - b);

  test("half of them have at most 120 lines", () =>
    assert.ok(percentile(lines, 50) <= 120, `${percentile(lines, 50)}`));
  test("nine in ten have at most 320 lines", () => assert.ok(percentile(lines, 90) <= 320, `${percentile(lines, 90)}`));
});

describe("random tests use the seed of test/support/seed.ts", () => {
  const tests = ["src/**/*.test.ts", "test/**/*.ts", "bench/**/*.test.ts"];
  const files = globSync(tests, { cwd: join(SRC, ".."), exclude: ["**/node_modules/**"] });

  test("all of them", () => {
    const own = files.filter((file) => !file.endsWith(join("support", "seed.ts")));
    assert.ok(own.length > 500 && own.length === files.length - 1, `${own.length}`);
    const wrong = own.filter((file) => hasOwnChance(readFileSync(join(SRC, "..", file), "utf8")));
    assert.deepEqual(wrong, ["test/architecture.test.ts"], "only the examples below have a seed of their own");
  });

  const wrong = [
    'import fc from "fast-check";',
    'import fc, { type Arbitrary } from "fast-check";',
    'import { assert } from "fast-check";',
    "fc.assert(property, { numRuns: 9, seed: -403053643 });",
    "const size = Math.random() * 9;",
  ];
  for (const code of wrong) test(`not ${code}`, () => assert.ok(hasOwnChance(code)));
  test("types are free", () => assert.ok(!hasOwnChance('import type { Arbitrary } from "fast-check";')));
});

describe("a literal is not spread into a literal", () => {
  const folders = ["src", "test", "scripts", "bench"].map((folder) => `${folder}/**/*.ts`);

  test("in any file", () => {
    const files = globSync(folders, { cwd: join(SRC, ".."), exclude: ["**/node_modules/**"] });
    const wrong = files
      .map((file) => file.split(sep).join("/"))
      .filter((file) => spreadsLiteral(readFileSync(join(SRC, "..", file), "utf8")));
    assert.ok(files.length > 1_000, `${files.length}`);
    assert.deepEqual(wrong, ["test/architecture.test.ts"], "only the examples below");
  });

  const wrong = ["{ ...{ a: 1, b }, c }", '[...["a", ["b"]], c]', 'f(...["a"], b)', "{\n  ...{\n    a,\n  },\n}"];
  for (const code of wrong) test(`not ${code}`, () => assert.ok(spreadsLiteral(code)));
  for (const code of ["{ ...(a ? { b } : {}) }", '[...["a"].map(f), b]', "(...[a, b]: C) => a", "[...[...a].map(f)]"])
    test(`but ${code}`, () => assert.ok(!spreadsLiteral(code)));
});

describe("the checker complains", () => {
  const complaints: readonly (readonly [string, string, string, RegExp])[] = [
    [
      "a value from a layer that is not allowed",
      "core/pipeline.ts",
      'import { stdio } from "../sources/stdio.ts";',
      /values/,
    ],
    ["a value where only types are allowed", "doors/line.ts", 'import { Hub } from "../core/hub.ts";', /values/],
    [
      "inline type specifiers, which still load the file",
      "doors/line.ts",
      'import { type Hub } from "../core/hub.ts";',
      /values/,
    ],
    [
      "a type from a layer that is not allowed",
      "store/store.ts",
      'import type { D } from "../doors/door.ts";',
      /types/,
    ],
    [
      "a part of a layer of which another part is allowed",
      "link/a.ts",
      'import { p } from "../protocol/mcp/a.ts";',
      /values/,
    ],
    ["an import over several lines", "core/a.ts", 'import {\n  one,\n  two,\n} from "../link/link.ts";', /values/],
    ["a re-export", "core/a.ts", 'export { open } from "../link/link.ts";', /values/],
    ["a re-export of everything", "core/a.ts", 'export * from "../link/link.ts";', /values/],
    ["a side-effect import", "core/a.ts", 'import "../link/link.ts";', /values/],
    ["a dynamic import", "core/a.ts", 'const link = await import("../link/link.ts");', /values/],
    ["a computed import", "cli/a.ts", "await import(`./$" + "{name}.ts`);", /computed/],
    ["a node module in a pure layer", "core/a.ts", 'import { readFileSync } from "node:fs";', /pure/],
    ["a package in a pure layer", "protocol/a.ts", 'import type { Schema } from "ajv";', /pure/],
    ["a package outside its home", "doors/a.ts", 'import { Pool } from "undici";', /only link/],
    ["a child process outside link", "sources/a.ts", 'import { spawn } from "node:child_process";', /only link/],
    ["one source in another", "sources/line-json.ts", 'import type { A } from "./stdio.ts";', /may not/],
    ["a source's folder in another", "sources/house/tools.ts", 'import { a } from "../stdio.ts";', /may not/],
    ["a source in what sources share", "sources/supervisor.ts", 'import { a } from "./stdio.ts";', /may not/],
    ["one door in another", "doors/line.ts", 'import { a } from "./stdio.ts";', /may not/],
    ["the command line in the composition root", "zaguan.ts", 'import { main } from "./cli/main.ts";', /values/],
    ["a source in the command line", "cli/main.ts", 'import { stdio } from "../sources/stdio.ts";', /values/],
    ["a path that leaves src", "config/a.ts", 'import json from "../../package.json" with { type: "json" };', /values/],
    ["a value of the hub in the page", "console/a.ts", 'import { say } from "../messages/catalogue.ts";', /values/],
    ["a node module in the page", "console/a.ts", 'import { readFile } from "node:fs/promises";', /browser/],
    ["a package of the page elsewhere", "doors/a.ts", 'import { h } from "preact";', /only the console/],
    ["a folder without a row", "attic/a.ts", 'import { a } from "../errors.ts";', /no row/],
    ["a default export", "config/a.ts", "export default function load() {}", /default/],
    ["a renamed default export", "config/a.ts", "export { load as default };", /default/],
    ["the end of the process", "doors/line.ts", "if (done) process.exit(0);", /ends the process/],
    ["the end of the process by another name", "doors/line.ts", 'import { exit } from "node:process";', /exit/],
  ];
  for (const [what, file, code, expected] of complaints) {
    test(`about ${what}`, () => {
      const found = breaches(file, `/** A file. */\n${code}\n`);
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0] ?? "", expected);
    });
  }

  test("about a file that does not say what it is", () => {
    assert.match(breaches("config/a.ts", "export const a = 1;\n").join(), /open with a comment/);
    assert.match(breaches("cli/a.ts", "#!/usr/bin/env node\nexport const a = 1;\n").join(), /open with a comment/);
  });
});

describe("the checker is content", () => {
  const fine: readonly (readonly [string, string, string])[] = [
    ["a type where types are allowed", "core/a.ts", 'import type { Source } from "../sources/source.ts";'],
    ["a value from the allowed part of a layer", "core/a.ts", 'import { Payload } from "../protocol/json/payload.ts";'],
    ["a neighbour in the same layer", "core/steps/a.ts", 'import { b } from "../structures/b.ts";'],
    ["what sources share", "sources/stdio.ts", 'import { McpClient } from "./mcp-client.ts";'],
    ["the parts of one source", "sources/house/tools.ts", 'import { state } from "./state.ts";'],
    ["the list of sources", "sources/index.ts", 'import { stdio } from "./stdio.ts";'],
    ["what doors share", "doors/line.ts", 'import { serve } from "./http/server.ts";'],
    ["a type of the hub in the page", "console/a.ts", 'import type { A } from "../doors/live/views.ts";'],
    ["a contract of another door", "doors/home/a.ts", 'import type { A } from "../live/views.ts";'],
    ["a package at home", "link/a.ts", 'import { Pool } from "undici";'],
    ["the exit code", "doors/line.ts", "process.exitCode = 1;"],
    ["the command line ending the process", "cli/main.ts", "process.exit(2);"],
    ["an import in a comment", "core/a.ts", ' * import { a } from "../link/link.ts"; and import("../link/link.ts")'],
  ];
  for (const [what, file, code] of fine) {
    test(`with ${what}`, () => assert.deepEqual(breaches(file, `/** A file. */\n${code}\n`), []));
  }

  test("with a comment behind the line that names the interpreter", () => {
    assert.deepEqual(breaches("cli/main.ts", "#!/usr/bin/env node\n/** The command. */\n"), []);
  });
});

test("every form of import is read", () => {
  const code = [
    'import a, { type B } from "one";',
    'import type { C } from "two";',
    'import * as d from "three";',
    'import "four";',
    'export type { E } from "five";',
    'const f = await import("six");',
    'const g = await import("seven", { with: { type: "json" } });',
  ].join("\n");
  const found = importsOf(code).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? "!" : ""}`);
  assert.deepEqual(found.sort(), ["five!", "four", "one", "seven", "six", "three", "two!"]);
});

/** Whether a test's cases depend on anything but the one seed. */
function hasOwnChance(code: string): boolean {
  return /^import (?!type).*"fast-check"|\bseed: -?\d|\bMath\.random\(/m.test(code);
}

/** Brackets are read two levels deep, which is enough for what anybody wrote. */
function spreadsLiteral(code: string): boolean {
  return /\.\.\.\{|\.\.\.\[(?:[^[\]]|\[[^[\]]*\])*\]\s*[,\]]/.test(code);
}

function read(file: string): string {
  return readFileSync(join(SRC, file), "utf8");
}

/** The smallest value that at least `percent` of all values do not exceed. */
function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}
