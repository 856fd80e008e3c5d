/**
 * The official conformance suite on servers made with each SDK, directly and through `/servers/fixture/mcp` of a hub that
 * has nothing else behind it. Prints a table; fails where something is lost on the way, or takes more than twice as long.
 *
 * Usage: npm run test:sdks [-- SDK…] [-- --keep FOLDER]
 *   SDK     only these (a word that is none lists them)
 *   --keep  leaves the suite's own results (checks.json per scenario) in this folder
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { resultsIn } from "../conformance/results.ts";
import { runSuite } from "../conformance/suite.ts";
import { freePort } from "../peers/support/listening.ts";
import { spawnZaguan } from "../support/spawn-zaguan.ts";
import { compare, passes, type Run } from "./compare.ts";
import { Missing } from "./install/program.ts";
import { SDKS, type Sdk } from "./sdks.ts";
import { type Command, startServer } from "./server.ts";

/** A scenario that waits longer has failed, and the next one begins. */
const SCENARIO_LIMIT_MS = 15_000;
/** For what does not even heed that. */
const RUN_LIMIT_MS = 180_000;

/** How a server is started on a port. */
type Start = (port: number) => Command;
/** A line of the table: SDK, revision, scenarios and seconds directly and through the hub. */
type Row = readonly string[];

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "string" } },
});
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "zaguan-sdks-"));
const rows: Row[] = [["SDK", "revision", "directly", "through", "seconds", "through"]];

if (names.some((name) => !SDKS.some((sdk) => sdk.name === name))) {
  console.error(`There is no such SDK here. There is: ${SDKS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
for (const sdk of SDKS.filter(({ name }) => names.length === 0 || names.includes(name))) await tell(sdk);
console.log(`\n${table(rows)}`);
if (!options.keep) rmSync(folder, { recursive: true, force: true });

async function tell(sdk: Sdk): Promise<void> {
  try {
    const start = await sdk.install();
    for (const [revision, expected] of Object.entries(sdk.revisions))
      await runBoth(sdk.name, start, revision, expected);
  } catch (cause) {
    const skipped = cause instanceof Missing;
    rows.push([sdk.name, `${skipped ? "skipped" : "failed"}: ${(cause as Error).message.split("\n")[0]}`]);
    if (skipped) return;
    console.log(`✗ ${sdk.name}: ${String(cause)}`);
    process.exitCode = 1;
  }
}

async function runBoth(name: string, start: Start, revision: string, expected: number): Promise<void> {
  const direct = await runDirectly(start, revision, join(folder, `${name}-${revision}-directly`));
  const through = await runThrough(start, revision, join(folder, `${name}-${revision}-through`));
  const complaints = compare(direct, through, expected);
  for (const complaint of complaints) console.log(`✗ ${name} ${revision}, ${complaint}`);
  if (complaints.length > 0) process.exitCode = 1;
  const total = direct.scenarios.length;
  const counts = [direct, through].map((run) => `${passes(run)}/${total}`);
  rows.push([name, revision, ...counts, ...[direct, through].map(({ seconds }) => seconds.toFixed(1))]);
  console.log(`${complaints.length === 0 ? "✓" : "✗"} ${rows.at(-1)?.join("  ")}`);
}

async function runDirectly(start: Start, revision: string, own: string): Promise<Run> {
  const port = await freePort();
  const server = await startServer(start(port), port);
  try {
    return await measure(server.url, revision, own);
  } finally {
    await server.close();
  }
}

/** With a server of its own, so that nothing of the run before is left in it. */
async function runThrough(start: Start, revision: string, own: string): Promise<Run> {
  const port = await freePort();
  const server = await startServer(start(port), port);
  const entry = { type: "http", url: server.url, zaguan: { trusted: true, allowPrivate: true } };
  const hub = await spawnZaguan({ config: { mcpServers: { fixture: entry } } });
  try {
    return await measure(`${hub.url}/servers/fixture/mcp`, revision, own);
  } finally {
    await hub.stop().finally(() => server.close());
  }
}

async function measure(url: string, revision: string, own: string): Promise<Run> {
  rmSync(own, { recursive: true, force: true });
  const which = ["--suite", "all", "--spec-version", revision, "--timeout", String(SCENARIO_LIMIT_MS)];
  const startedAt = performance.now();
  await runSuite(["server", "--url", url, ...which, "-o", own], RUN_LIMIT_MS);
  return { scenarios: resultsIn(own, new Map()), seconds: (performance.now() - startedAt) / 1_000 };
}

function table(lines: readonly Row[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => cellWidth(line, column))));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

/** The reason why a row is missing runs across the columns. */
function cellWidth(line: Row, column: number): number {
  return line.length > 2 || column === 0 ? (line[column]?.length ?? 0) : 0;
}
