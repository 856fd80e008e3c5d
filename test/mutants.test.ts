/** The rules of `npm run mutate`: which changes it makes, and which tests it runs first. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { API } from "typescript/unstable/sync";
import { nearness } from "../scripts/mutate/copy.ts";
import { type Mutant, mutantsIn } from "../scripts/mutate/mutants.ts";

const SOURCE = `import { a } from "./a.ts";
type Size = 3;
export async function f(x: number, on = true): Promise<number> {
  if (x > 1) return a(x);
  await a(x && 20);
  const y = (await a(x ?? 0)) === 0 ? x : -x;
  return y;
}
`;

describe("the changes that are made", () => {
  let api: API;
  let mutants: readonly Mutant[];
  before(() => {
    const files: Record<string, string> = { "/p/tsconfig.json": '{"files":["f.ts"]}', "/p/f.ts": SOURCE };
    const known = (file: string): boolean => file in files;
    api = new API({
      cwd: "/p",
      fs: { readFile: (file) => files[file], fileExists: (file) => known(file) || undefined },
    });
    const project = api.updateSnapshot({ openProjects: ["/p/tsconfig.json"] }).getProjects()[0];
    const source = project?.program.getSourceFile("/p/f.ts") ?? assert.fail("no source");
    mutants = mutantsIn("f.ts", source);
  });
  after(() => api.close());

  const made = (line: number): string[] => {
    const text = (mutant: Mutant) => SOURCE.slice(0, mutant.start) + mutant.text + SOURCE.slice(mutant.end);
    return mutants.filter((one) => one.line === line).map((one) => text(one).split("\n")[line - 1]?.trim() ?? "");
  };

  it("turn conditions round, move comparisons and bounds, and leave out early returns", () => {
    assert.deepEqual(made(4), [
      "if (!(x > 1)) return a(x);",
      "if (x >= 1) return a(x);",
      "if (x > (1 + 1)) return a(x);",
      "if (x > 1) ;",
    ]);
  });

  it("leave out calls and await, and swap operators", () => {
    assert.deepEqual(made(5), [";", "a(x && 20);", "await a(x || 20);", "await a(x && (2 * 20));"]);
    assert.deepEqual(made(6).length, 6);
  });

  it("flip what is true, and leave types, imports and the last return alone", () => {
    assert.deepEqual(made(3), ["export async function f(x: number, on = false): Promise<number> {"]);
    assert.deepEqual([1, 2, 7].flatMap(made), []);
  });
});

describe("the tests that are run first", () => {
  it("are the file's own, then those beside it, then those of its folder", () => {
    const tests = [
      "test/flow/a.test.ts",
      "src/core/steps/retry.test.ts",
      "src/core/source-queue.test.ts",
      "src/doors/x.test.ts",
    ];
    const near = (file: string) => tests.toSorted((a, b) => nearness(b, file) - nearness(a, file));
    assert.deepEqual(near("src/core/source-queue.ts"), [tests[2], tests[1], tests[3], tests[0]]);
    assert.deepEqual(near("src/core/steps/cache.ts"), [tests[1], tests[2], tests[3], tests[0]]);
  });
});
