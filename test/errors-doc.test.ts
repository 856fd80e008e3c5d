/** docs/errors.md and src/errors.ts tell the same, row by row and in both directions. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ERRORS, type ErrorRow } from "../src/errors.ts";

type Numbers = Omit<ErrorRow, "values">;

const DOCUMENTED = documentedRows(readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8"));

describe("docs/errors.md", () => {
  test("has exactly the codes of src/errors.ts, in the same order", () => {
    assert.deepEqual([...DOCUMENTED.keys()], Object.keys(ERRORS));
  });

  for (const [code, row] of Object.entries(ERRORS)) {
    const { values: _, ...numbers } = row;
    test(`tells the numbers of ${code}`, () => assert.deepEqual(DOCUMENTED.get(code)?.row, numbers));
    test(`says in one sentence when ${code} happens`, () => {
      assert.match(DOCUMENTED.get(code)?.when ?? "", /^[A-Z].{10,}\.$/);
    });
  }

  test("is read strictly: a wrong cell is an error, not a default", () => {
    assert.throws(() => documentedRows("| `X` | -1 | 1 | 400 | maybe | When. |"), /maybe/);
    assert.throws(() => documentedRows("| `X` | x | 1 | 400 | no | When. |"), /x/);
  });
});

function documentedRows(markdown: string): Map<string, { row: Numbers; when: string }> {
  const rows = new Map<string, { row: Numbers; when: string }>();
  for (const line of markdown.split("\n").filter((text) => text.startsWith("| `"))) {
    const [code = "", rpc, modern, http, again, when = ""] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    const name = code.replaceAll("`", "");
    assert.ok(!rows.has(name), `${name} is documented twice`);
    rows.set(name, {
      row: { rpc: number(rpc), modern: number(modern), http: number(http), retryable: yes(again) },
      when,
    });
  }
  return rows;
}

function number(cell: string | undefined): number {
  assert.match(cell ?? "", /^-?\d+$/, `${cell} is not a number`);
  return Number(cell);
}

function yes(cell: string | undefined): boolean {
  assert.ok(cell === "yes" || cell === "no", `${cell} is neither yes nor no`);
  return cell === "yes";
}
