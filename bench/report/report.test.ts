/** Tables, targets and charts, from results made up for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bendOf } from "../curve.ts";
import { errorsIn, type Machine, type Results, type Round, type SubjectResult } from "../results.ts";
import { ratiosOf } from "../statistics.ts";
import { barChart } from "./bars.ts";
import { columns, figure } from "./format.ts";
import { plotCurves } from "./plots.ts";
import { text } from "./svg.ts";
import { workTable } from "./table.ts";
import { verdicts } from "./targets.ts";

const MACHINE: Machine = {
  date: "2026-11-15T00:00:00.000Z",
  processor: "made up",
  cores: 2,
  memory: "8 GB",
  platform: "none",
  node: "24.0.0",
  versions: {},
};

function rounds(perSecond: number, errors = 0): Round[] {
  const reasons = errors > 0 ? ["another text came back"] : [];
  return [1, 2, 4].map((factor) => ({
    answers: 10,
    perSecond: perSecond * factor,
    median: 1,
    p99: 2,
    errors,
    reasons,
    busy: 0.5,
    processor: 50,
  }));
}

function subject(name: string, perSecond: number, errors = 0): SubjectResult {
  const measured = rounds(perSecond, errors);
  const speeds = measured.map((round) => round.perSecond);
  return { name, what: "", rounds: measured, ratio: ratiosOf(speeds, [100, 200, 400]) };
}

function results(...subjects: readonly SubjectResult[]): Results {
  const work = { name: "call", title: "tools/call & <more>", connections: 16, base: "floor-stdio", subjects };
  return { machine: MACHINE, rounds: 3, seconds: 1, works: [work], starts: [] };
}

const MISSING: SubjectResult = { name: "py-fastmcp", what: "", rounds: [], missing: "no python3" };
const GOOD = results(subject("floor-stdio", 100), subject("zaguan", 70), subject("mcp-proxy", 10), MISSING);

test("targets are judged by the median of the rounds, and what was not measured is not judged", () => {
  const judged = verdicts(GOOD);
  assert.deepEqual(
    judged.slice(0, 3).map(({ passed, found }) => [passed, found]),
    [
      [true, "0.70 (0.70–0.70)"],
      [true, "7.00 (7.00–7.00)×"],
      [undefined, "not measured"],
    ],
  );
});

test("a subject that could not be had is named with its reason", () => {
  assert.match(workTable(GOOD.works[0] as Results["works"][number]), /py-fastmcp: not measured: no python3/);
});

test("wrong answers are found wherever they were given", () => {
  assert.deepEqual(errorsIn(GOOD.works), []);
  assert.deepEqual(errorsIn(results(subject("mcp-proxy", 1, 2)).works), [
    "call, mcp-proxy: 6 × another text came back",
  ]);
});

test("a subject of ours that could not do its work counts as wrong, a peer does not", () => {
  assert.deepEqual(errorsIn(results({ ...MISSING, name: "zaguan", failed: true }).works), ["call, zaguan: no python3"]);
});

test("the bar chart is well-formed, labelled, and shows every subject", () => {
  const chart = barChart(GOOD);
  assert.ok(isWellFormed(chart));
  for (const said of ["tools/call &amp; &lt;more&gt;", "floor-stdio", "zaguan", "0.70", "not measured: no python3"])
    assert.ok(chart.includes(said), said);
});

test("a plot of curves is well-formed and has a point for each value", () => {
  const points = [1, 10, 100].map((value) => {
    const ratio = { median: 1 / value, min: 0.5 / value, max: 1 / value };
    return { value, ratio, perSecond: 1, median: 1, processor: 1, megabytes: 1 };
  });
  const chart = plotCurves([{ name: "x", title: "things", points, errors: [] }], MACHINE);
  assert.ok(isWellFormed(chart));
  assert.equal(chart.match(/<circle/g)?.length, 3);
});

test("a curve bends where it falls below nine tenths of its best", () => {
  const at = (value: number, median: number) => ({ value, ratio: { median, min: median, max: median } });
  assert.equal(bendOf([at(1, 1), at(10, 3), at(100, 2.9), at(1_000, 2)]), 1_000);
  assert.equal(bendOf([at(1, 1), at(10, 0.95)]), undefined);
});

test("text cannot break out of its element", () => {
  assert.ok(text(0, 0, '</text><script>"').includes("&lt;/text&gt;&lt;script&gt;&quot;"));
});

test("figures have as many digits as count, columns one width", () => {
  assert.deepEqual([12_345, 45.67, 1.234, Number.NaN].map(figure), ["12,345", "45.7", "1.23", "–"]);
  assert.deepEqual(
    columns([
      ["a", "1"],
      ["bcd", "22"],
    ]),
    ["a     1", "bcd  22"],
  );
});

/** Every element is closed in its turn, and nothing is left open. */
function isWellFormed(markup: string): boolean {
  const open: string[] = [];
  for (const [, closing, name, alone] of markup.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (closing) {
      if (open.pop() !== name) return false;
    } else if (!alone) open.push(name ?? "");
  }
  return open.length === 0 && !markup.includes("NaN") && !markup.includes("undefined");
}
