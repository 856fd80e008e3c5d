/**
 * The official conformance suite through the hub, in every combination of revisions: as a client of one server behind the
 * hub, and as a server that is reached through it. Prints what came of each scenario and compares it with
 * expected-failures.json.
 *
 * Usage: npm run conformance [-- --run TITLE] [-- --all] [-- --scenario NAME] [-- --keep FOLDER]
 *   --run       only the run of this title (a word that is none lists them)
 *   --all       the runs too that are not expected to pass yet
 *   --scenario  only this one; nothing is said about expected failures of others
 *   --keep      leaves the suite's own results (checks.json per scenario) in this folder
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { runThroughHub } from "./client-run.ts";
import { type ExpectedFailures, judge, type Outcome, table } from "./judge.ts";
import type { Leg } from "./results.ts";
import { runBehindHub, runFixtureAlone } from "./server-run.ts";
import { type Selection, wantedScenarios } from "./suite.ts";

interface Run {
  readonly title: string;
  readonly leg: Leg;
  readonly revision: string;
  /** Run without being asked for. */
  readonly ready: boolean;
  go(selection: Selection): Promise<Outcome>;
}

const RUNS: readonly Run[] = [
  server("2025-11-25", "2025", true),
  server("2025-11-25", "2026", true),
  server("2026-07-28", "2025", true),
  server("2026-07-28", "2026", true),
  { ...server("2026-07-28", "2026", false), title: "2026-07-28 client, fixture alone", go: runFixtureAlone },
  client("2025-11-25", true),
  client("2026-07-28", true),
];

const { values: options } = parseArgs({
  options: {
    run: { type: "string" },
    all: { type: "boolean" },
    scenario: { type: "string" },
    keep: { type: "string" },
  },
});
const expected = JSON.parse(readFileSync(new URL("./expected-failures.json", import.meta.url), "utf8")) as Readonly<
  Record<string, ExpectedFailures>
>;

const chosen = RUNS.filter(({ title, ready }) => (options.run ? title === options.run : ready || options.all)).filter(
  ({ revision, leg }) => wantedScenarios({ revision, scenario: options.scenario }, leg).size > 0,
);
if (chosen.length === 0) {
  const titles = RUNS.map(({ title }) => `  ${title}`).join("\n");
  console.error(`There is no such run, or none of those chosen has such a scenario. There is:\n${titles}`);
  process.exitCode = 2;
}
for (const run of chosen) if (!(await passes(run))) process.exitCode = 1;

/** `form` is the revision, by its year, that the server behind the hub speaks. */
function server(revision: string, form: string, ready: boolean): Run {
  const title = `${revision} client, ${form} server`;
  return { title, leg: "server", revision, ready, go: (selection) => runBehindHub(selection, form) };
}

function client(revision: string, ready: boolean): Run {
  return { title: `client ${revision}`, leg: "client", revision, ready, go: runThroughHub };
}

/** One run of the suite, told on standard output. */
async function passes({ title, revision, go }: Run): Promise<boolean> {
  const folder = outputFolder(title);
  try {
    return tell(title, await go({ revision, scenario: options.scenario, folder }));
  } finally {
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
  }
}

function tell(title: string, { scenarios, said, notes }: Outcome): boolean {
  const verdict = judge(scenarios, only(expected[title]));
  console.log(`\n== ${title}\n\n${table(scenarios)}\n`);
  if (notes) console.log(notes);
  for (const complaint of verdict.complaints) console.log(`✗ ${complaint}`);
  console.log(`${verdict.summary}\n`);
  if (scenarios.every(({ ran }) => !ran)) console.log(`The suite said:\n${said}`);
  return verdict.complaints.length === 0;
}

function only(failures: ExpectedFailures = {}): ExpectedFailures {
  if (options.scenario === undefined) return failures;
  return Object.fromEntries(Object.entries(failures).filter(([name]) => name === options.scenario));
}

function outputFolder(title: string): string {
  if (!options.keep) return mkdtempSync(join(tmpdir(), "zaguan-conformance-"));
  const folder = join(options.keep, title.replace(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}
