/**
 * The scorecard: what is promised of reliability and safety, each row tested in a process of its own, and what was seen
 * written to docs/scorecard.md, its picture, and the file that keeps the figures.
 *
 *   npm run scorecard                        every row, at the lengths of the page; about an hour
 *   npm run scorecard -- --only 2,6          these; the others keep what they last showed
 *   npm run scorecard -- --full              rows that have an hour and more in them take it
 *   npm run scorecard -- --short             as `npm run test:hard` does; shows figures, and writes nothing
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { waitForHost, watchStolen } from "./scorecard/machine.ts";
import { pageOf, pictureOf, type Result, type Results, readResults, writeResults } from "./scorecard/results.ts";
import { ROWS, type Row } from "./scorecard/rows.ts";
import { endRunning, type Length, type Outcome, runRow } from "./scorecard/run-row.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCS = join(ROOT, "docs");
const KEPT = join(DOCS, "scorecard.json");
/** What each row printed. */
const LOGS = join(ROOT, "node_modules", ".cache", "scorecard");
const SHORT_MINUTES = 5;
const LINES_OF_FAILURE = 60;
const MOST_ATTEMPTS = 3;
/** From this share on. */
const STOLEN = 0.01;
const MOST_WAIT_MS = 180_000;
/** How often progress is told on a terminal, and elsewhere. */
const TERMINAL_MS = 1_000;
const LOG_MS = 30_000;

const { values } = parseArgs({
  options: { only: { type: "string" }, short: { type: "boolean" }, full: { type: "boolean" } },
});
const length: Length = values.short ? "short" : values.full ? "full" : "document";
const wanted = chosen(values.only);

function chosen(only: string | undefined): readonly Row[] {
  const numbers = only?.split(",").map(Number) ?? ROWS.map(({ number }) => number);
  const unknown = numbers.filter((number) => !ROWS.some((row) => row.number === number));
  if (unknown.length > 0) throw new Error(`--only takes numbers from 1 to ${ROWS.length}, as in 2,6`);
  return ROWS.filter(({ number, files }) => numbers.includes(number) && files.length > 0);
}

function limitOf({ minutes, fullMinutes }: Row): number {
  return { short: SHORT_MINUTES, document: minutes, full: fullMinutes ?? minutes }[length];
}

/**
 * A row that counts milliseconds waits a while for a host that takes processors away. If it fails while some are taken away, it has shown
 * the host's stalls: it is tried again, and says so. Where nothing is taken away, once is all.
 */
async function run(row: Row): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    if (row.isTimed && length !== "short") await waitForHost(STOLEN, MOST_WAIT_MS);
    const stolen = watchStolen();
    const outcome = await runOnce(row);
    const share = stolen();
    const what = "processor time that the host of the machine took away";
    const figure = { what, seen: `${(share * 100).toFixed(1)} %, attempt ${attempt} of at most ${MOST_ATTEMPTS}` };
    const isFinal = outcome.passed || !row.isTimed || share < STOLEN || attempt === MOST_ATTEMPTS;
    if (isFinal) return row.isTimed ? { ...outcome, figures: [...outcome.figures, figure] } : outcome;
    console.log(`row ${row.number} is tried again: ${outcome.reason}; ${figure.what}: ${figure.seen}`);
  }
}

async function runOnce(row: Row): Promise<Outcome> {
  const files = row.files.map((name) => join(ROOT, "test", "hard", `${name}.test.ts`));
  const outcome = await runRow({ row: row.number, files, tests: row.tests, length, limitMs: limitOf(row) * 60_000 });
  mkdirSync(LOGS, { recursive: true });
  writeFileSync(join(LOGS, `row-${row.number}.log`), outcome.said);
  return outcome;
}

function tell(row: Row, { passed, reason, figures, seconds, said }: Outcome): void {
  console.log(`row ${row.number} ${passed ? "passed" : `failed: ${reason}`} (${seconds} s): ${row.promise}`);
  for (const { what, seen } of figures) console.log(`    ${what}: ${seen}`);
  if (!passed) console.log(said.split("\n").slice(-LINES_OF_FAILURE).join("\n"));
}

function git(...args: readonly string[]): string {
  return spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout?.trim() ?? "";
}

/** The page itself may differ from what was committed. */
function commit(): string {
  const changes = git("status", "--porcelain", "--", ".", ":!docs/scorecard.*");
  return `${git("rev-parse", "--short=10", "HEAD") || "unknown"}${changes ? "+" : ""}`;
}

function write(results: Results): void {
  writeResults(KEPT, results);
  writeFileSync(join(DOCS, "scorecard.md"), pageOf(ROWS, results));
  writeFileSync(join(DOCS, "scorecard.svg"), pictureOf(ROWS, results));
}

/** Tells how far the run is until it is stopped: a line that is renewed on a terminal, and elsewhere one every half minute. */
function tellProgress(row: Row, limitMinutes: number, rest: readonly Row[], results: Results): () => void {
  const startedAt = performance.now();
  const onTerminal = process.stdout.isTTY === true;
  const tell = (): void => {
    const elapsed = (performance.now() - startedAt) / 1_000;
    const left = Math.max(0, usual(row, results) - elapsed) + rest.reduce((sum, each) => sum + usual(each, results), 0);
    const own = `row ${row.number} · ${clock(elapsed)} of at most ${limitMinutes}:00`;
    const line = `${own} · then ${rest.length} more · about ${clock(left)} in all`;
    process.stdout.write(onTerminal ? `\r\x1b[K${line}` : `${line}\n`);
  };
  tell();
  const timer = setInterval(tell, onTerminal ? TERMINAL_MS : LOG_MS);
  return () => {
    clearInterval(timer);
    if (onTerminal) process.stdout.write("\r\x1b[K");
  };
}

/** Seconds: as last time, or a guess. */
function usual({ number, minutes }: Row, results: Results): number {
  return results[number]?.seconds ?? minutes * 20;
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
process.on("exit", endRunning);

const tested = commit();
let results = readResults(KEPT);
for (const [place, row] of wanted.entries()) {
  const stopTelling = tellProgress(row, limitOf(row), wanted.slice(place + 1), results);
  const outcome = await run(row);
  stopTelling();
  tell(row, outcome);
  if (!outcome.passed) process.exitCode = 1;
  if (length === "short") continue;
  const { said: _, ...shown } = outcome;
  const result: Result = { ...shown, length, date: new Date().toISOString().slice(0, 10), commit: tested };
  results = { ...results, [row.number]: result };
  write(results);
}
