/** The checker behind `npm run check` that looks for dead code and circular imports, fed with bad code and good code. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { circular, unusedExports, unusedFiles } from "./support/dead-code.ts";

type Files = Readonly<Record<string, string>>;

const A = "src/core/a.ts";
const B = "src/core/b.ts";
const TEST = "src/core/a.test.ts";
const NOBODY = /nobody imports/;
const ONLY_TESTS = /only tests use/;

describe("an export that is not needed", () => {
  const wrong: readonly (readonly [string, Files, RegExp])[] = [
    ["a constant", { [A]: "export const a = 1;" }, NOBODY],
    ["an interface", { [A]: "export interface a {}" }, NOBODY],
    ["an async function", { [A]: "export async function a() {}" }, NOBODY],
    ["a generator", { [A]: "export function* a() {}" }, NOBODY],
    ["a class", { [A]: "export abstract class a {}" }, NOBODY],
    ["one that its file uses", { [A]: "export const a = 1;\nvoid a;" }, NOBODY],
    ["one in a list", { [A]: "const b = 1;\nexport { b as a };", [B]: 'import { b } from "./a.ts";' }, NOBODY],
    ["what is passed on", { [B]: 'export { a } from "../stop.ts";' }, NOBODY],
    ["one of which another has the name", { [A]: "export const a = 1;", [B]: 'import { a } from "./c.ts";' }, NOBODY],
    ["one beside those that are imported", { [A]: "export const a = 1;", [B]: 'import { b } from "./a.ts";' }, NOBODY],
    ["one that a comment imports", { [A]: "export const a = 1;", [B]: ' * import { a } from "./a.ts";' }, NOBODY],
    ["one beside those that are loaded late", { [A]: "export const x = 1;", [B]: 'await import("./a.ts")' }, NOBODY],
    ["one that only a test uses", { [A]: "export const a = 1;", [TEST]: 'import { a } from "./a.ts";' }, ONLY_TESTS],
  ];
  for (const [what, files, expected] of wrong) {
    test(what, () => {
      const found = unusedExports(sourcesOf(files));
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0] ?? "", expected);
    });
  }
});

describe("an export that is needed", () => {
  const fine: readonly (readonly [string, string, Files])[] = [
    ["by an import", "export const a = 1;", { [B]: 'import { a } from "./a.ts";' }],
    ["under another name", "export const a = 1;", { [B]: 'import {\n  a as b,\n} from "./a.ts";' }],
    ["as a type", "export interface a {}", { [B]: 'import { type a } from "./a.ts";' }],
    ["by everything at once", "export const a = 1;", { [B]: 'import * as all from "./a.ts";' }],
    ["by what is published", "export const a = 1;", { "src/index.ts": 'export { a } from "./core/a.ts";' }],
    ["late", "export const a = 1;", { [B]: 'const { a } = await import("./a.ts");' }],
    ["by whoever loads it", "export const a = 1;", { [B]: 'load(() => import("./a.ts"));' }],
    ["by a script", "export const a = 1;", { "scripts/b.ts": 'import { a } from "../src/core/a.ts";' }],
    ["in its file, and tested", "export const a = 1;\nvoid a;", { [TEST]: 'import { a } from "./a.ts";' }],
  ];
  for (const [what, code, files] of fine) {
    test(what, () => assert.deepEqual(unusedExports(sourcesOf({ [A]: code, ...files })), []));
  }
});

test("a file that nobody but a test imports is found, and one that is an entry is not", () => {
  const files = { [A]: "", [B]: "", "src/index.ts": 'import "./core/b.ts";', [TEST]: 'import "./a.ts";' };
  assert.deepEqual(unusedFiles(sourcesOf(files)), [A]);
});

describe("a circle of imports", () => {
  const c = "src/core/c.ts";
  const to = (file: string, type = "") => `import ${type}{ x } from "./${file}.ts";`;

  test("is found, without those who only lead to it", () => {
    const files = { [A]: to("b"), [B]: to("c"), [c]: to("a"), "src/core/d.ts": to("a"), "src/core/e.ts": "" };
    assert.deepEqual(circular(sourcesOf(files)), [A, B, c]);
    assert.deepEqual(circular(sourcesOf({ ...files, [c]: `${to("e")}\nexport { x } from "./a.ts";` })), [A, B, c]);
  });

  test("is none by types, or by what is loaded later", () => {
    assert.deepEqual(circular(sourcesOf({ [A]: to("b"), [B]: to("a", "type ") })), []);
    assert.deepEqual(circular(sourcesOf({ [A]: to("b"), [B]: to("a", "type ") }), true), [A, B]);
    assert.deepEqual(circular(sourcesOf({ [A]: to("b"), [B]: 'await import("./a.ts")' })), []);
  });
});

function sourcesOf(files: Files): ReadonlyMap<string, string> {
  return new Map(Object.entries(files));
}
