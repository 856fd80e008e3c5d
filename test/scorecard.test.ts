/** The rules of `npm run scorecard`: when a row has passed, and what the page and the picture say of it. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { waitForHost, watchStolen } from "../scripts/scorecard/machine.ts";
import { pageOf, pictureOf, type Result } from "../scripts/scorecard/results.ts";
import { ROWS, type Row } from "../scripts/scorecard/rows.ts";
import { type Job, type Outcome, runRow } from "../scripts/scorecard/run-row.ts";
import { isRunning, until } from "./support/processes.ts";

const SUPPORT = new URL("./support/scorecard.ts", import.meta.url).href;
const HEAD = `import { it } from "node:test"; import { figure, sized } from "${SUPPORT}";`;
const LONG_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "zaguan-scorecard-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function run(body: string, job: Partial<Job> = {}): Promise<Outcome> {
  const file = join(folder, `${files++}.test.mjs`);
  writeFileSync(file, `${HEAD}\n${body}\n`);
  return runRow({ row: 7, files: [file], length: "document", limitMs: LONG_MS, ...job });
}

describe("a row", { concurrency: true }, () => {
  it("passes with the figures that it handed in", async () => {
    const { passed, figures } = await run('it("works", () => figure(7, "lost", sized(1, 20, 300)));');
    assert.deepEqual([passed, figures], [true, [{ what: "lost", seen: "20" }]]);
  });

  it("is as long as it is asked to be", async () => {
    const body = 'it("works", () => figure(7, "calls", sized(1, 20, 300)));';
    const seen = await Promise.all((["short", "full"] as const).map((length) => run(body, { length })));
    assert.deepEqual(
      seen.map(({ figures }) => figures[0]?.seen),
      ["1", "300"],
    );
  });

  it("does not pass without a figure of its own", async () => {
    for (const body of ['it("works", () => {});', 'it("works", () => figure(8, "of another row", 0));', ""]) {
      const { passed, reason } = await run(body);
      assert.deepEqual([passed, reason], [false, "no figure"], body);
    }
  });

  it("does not pass if one of its tests fails, and says which", async () => {
    const body = 'it("counts", () => figure(7, "lost", 0)); it("keeps its word", () => { throw new Error("no"); });';
    const { passed, reason, figures } = await run(body);
    assert.deepEqual([passed, reason, figures.length], [false, "keeps its word", 1]);
  });

  it("does not pass if there is no test", async () => {
    const { passed, reason } = await run("", { files: [join(folder, "nowhere.test.ts")] });
    assert.deepEqual([passed, reason], [false, "no test"]);
  });

  it("is ended with all its processes when its time is over", async () => {
    const file = join(folder, "pid");
    const body = `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
      it("hangs", async () => {
        figure(7, "lost", 0);
        writeFileSync("${file}", String(spawn("sleep", ["600"]).pid));
        await new Promise((resolve) => setTimeout(resolve, 600_000));
      });`;
    const { passed, reason } = await run(body, { limitMs: 3_000 });
    assert.deepEqual([passed, reason], [false, "not done after 3 s"]);
    // On a very slow machine it had not even started.
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
    await until("what it started has ended too", () => pid === undefined || !isRunning(pid));
  });

  it("does not pass if a promise is rejected unheard in a process that it started", async () => {
    const code = "process.on('unhandledRejection', (e) => console.error('unhandledRejection', e)); Promise.reject(1);";
    const body = `import { spawnSync } from "node:child_process";
      it("works", () => {
        figure(7, "lost", 0);
        spawnSync(process.execPath, ["-e", ${JSON.stringify(code)}], { stdio: "inherit" });
      });`;
    const { passed, reason } = await run(body);
    assert.deepEqual([passed, reason], [false, "a promise was rejected unheard"]);
  });

  it("runs only those tests of a file that are its own", async () => {
    const body = 'it("row 7: a", () => figure(7, "a", 1)); it("row 71: b", () => { throw new Error("no"); });';
    const { passed, figures } = await run(body, { tests: "row 7:" });
    assert.deepEqual([passed, figures.length], [true, 1]);
  });
});

describe("the table of rows", () => {
  it("counts from 1 to 26, each with a promise and a test of its own, but for what is not there yet", () => {
    assert.deepEqual(
      ROWS.map(({ number }) => number),
      Array.from({ length: 26 }, (_, index) => index + 1),
    );
    const notYet = ROWS.filter((row) => row.files.length === 0).map(({ number }) => number);
    assert.deepEqual(notYet, [6]);
    assert.equal(new Set(ROWS.map(({ promise }) => promise)).size, ROWS.length);
    const tests = ROWS.filter((row) => row.files.length > 0).map((row) => `${row.files} ${row.tests}`);
    assert.equal(new Set(tests).size, tests.length);
  });
});

describe("the page and the picture", () => {
  const row = (number: number, more: Partial<Row> = {}): Row => ({
    number,
    promise: `promise ${number} < & |`,
    how: "by counting",
    files: ["x"],
    minutes: 1,
    ...more,
  });
  const passed: Result = {
    passed: true,
    figures: [{ what: "lost", seen: "0 of 9" }],
    seconds: 1,
    length: "document",
    date: "2026-01-02",
    commit: "abc",
  };
  const failed: Result = { ...passed, passed: false, reason: "no figure", figures: [], commit: "def+" };
  const rows = [row(1), row(2), row(3), row(4, { files: [] })];
  const results = { 1: passed, 2: failed };

  it("say of each row what was seen, when, at which commit, and the verdict", () => {
    const lines = pageOf(rows, results)
      .split("\n")
      .filter((line) => /^\| \d/.test(line));
    assert.deepEqual(lines, [
      "| 1 | promise 1 &lt; & \\| | by counting | lost: 0 of 9 | 2026-01-02 | abc | **passed** |",
      "| 2 | promise 2 &lt; & \\| | by counting |  | 2026-01-02 | def+ | **failed** (no figure) |",
      "| 3 | promise 3 &lt; & \\| | by counting |  |  |  | **not run** |",
      "| 4 | promise 4 &lt; & \\| | by counting |  |  |  | **not yet** |",
    ]);
  });

  it("count what passed, and escape what they show", () => {
    const picture = pictureOf(rows, results);
    for (const said of [
      "1 of 4 rows passed",
      "1 failed · 1 not yet · 1 not run",
      "lost: 0 of 9",
      "promise 3 &lt; &amp;",
    ])
      assert.ok(picture.includes(said), said);
    assert.equal(picture.match(/<circle/g)?.length, 4);
  });
});

describe("what the host of the machine takes away", () => {
  it("is told as a share of what was wanted", () => {
    const lines = ["cpu  100 0 50 9000 7 0 0 10 0 0\ncpu0 1 1", "cpu  160 0 80 9500 9 0 0 20 0 0\ncpu0 1 1"];
    const share = watchStolen(() => lines.shift() ?? "");
    assert.equal(share(), 0.1);
  });

  it("is nothing where the system does not tell", () => {
    assert.equal(watchStolen(() => "")(), 0);
  });

  it("is waited out, but not for ever", async () => {
    const shares = [0.3, 0.01, 0.009, 0.5];
    await waitForHost(0.01, LONG_MS, async () => shares.shift() ?? 0, 0);
    assert.deepEqual(shares, [0.5]);
    await waitForHost(0.01, 0, async () => 1, 0);
  });
});
