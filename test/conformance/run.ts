/**
 * The official conformance suite against one server behind the hub: starts the hub with our fixture upstream, lets the
 * suite at `/servers/fixture/mcp`, prints what came of each scenario and compares it with expected-failures.json.
 *
 * Usage: npm run conformance [-- --scenario NAME] [-- --keep FOLDER]
 *   --scenario  only this one; nothing is said about expected failures of others
 *   --keep      leaves the suite's own results (checks.json per scenario) in this folder
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cleanEnvironment, spawnZaguan } from "../support/spawn-zaguan.ts";
import { type ExpectedFailures, judge, type Scenario, table } from "./judge.ts";
import { requiredScenarios, resultsIn } from "./results.ts";

/** A revision of the protocol as the client speaks it, and the form of the fixture behind the hub. */
interface Run {
  readonly revision: string;
  readonly form: string;
}

const RUNS: readonly Run[] = [{ revision: "2025-11-25", form: "2025" }];
const SUITE = "../peers/node_modules/@modelcontextprotocol/conformance/";
const FIXTURE = fileURLToPath(new URL("./fixture-server.mjs", import.meta.url));
const LIMIT_MS = 300_000;

const { values: options } = parseArgs({ options: { scenario: { type: "string" }, keep: { type: "string" } } });
const expected = JSON.parse(read("./expected-failures.json")) as Record<string, ExpectedFailures>;

for (const run of RUNS) if (!(await passes(run))) process.exitCode = 1;

/** One run of the suite, told on standard output. */
async function passes(run: Run): Promise<boolean> {
  const title = `${run.revision} client, ${run.form} server`;
  const { scenarios, said } = await scenariosOf(run);
  const verdict = judge(scenarios, options.scenario ? only(expected[title]) : (expected[title] ?? {}));
  console.log(`\n== ${title}\n\n${table(scenarios)}\n`);
  for (const complaint of verdict.complaints) console.log(`✗ ${complaint}`);
  console.log(`${verdict.summary}\n`);
  if (scenarios.every(({ ran }) => !ran)) console.log(`The suite said:\n${said}`);
  return verdict.complaints.length === 0;
}

async function scenariosOf(run: Run): Promise<{ scenarios: Scenario[]; said: string }> {
  const folder = outputFolder(run);
  const server = { command: process.execPath, args: [FIXTURE, run.form], zaguan: { trusted: true } };
  const hub = await spawnZaguan({ config: { mcpServers: { fixture: server } } });
  try {
    const said = await runSuite(run, `${hub.url}/servers/fixture/mcp`, folder);
    return { scenarios: resultsIn(folder, wanted(run)), said };
  } finally {
    await hub.stop();
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** Its exit code says less than its files, so that only these count. */
async function runSuite({ revision }: Run, url: string, folder: string): Promise<string> {
  const which = options.scenario
    ? ["--scenario", options.scenario, "--spec-version", revision]
    : ["--requirements", revision];
  const main = fileURLToPath(new URL(`${SUITE}dist/index.js`, import.meta.url));
  const args = [main, "server", "--url", url, ...which, "-o", folder];
  const child = spawn(process.execPath, args, {
    env: cleanEnvironment({ NO_COLOR: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  await once(child, "close");
  return said;
}

/** Each scenario that must leave a result, and whether the suite scores it. */
function wanted({ revision }: Run): Map<string, boolean> {
  const all = requiredScenarios(read(`${SUITE}requirements/${revision}.yaml`));
  return options.scenario ? new Map([[options.scenario, all.get(options.scenario) ?? false]]) : all;
}

function only(failures: ExpectedFailures = {}): ExpectedFailures {
  return Object.fromEntries(Object.entries(failures).filter(([name]) => name === options.scenario));
}

function outputFolder({ revision, form }: Run): string {
  if (!options.keep) return mkdtempSync(join(tmpdir(), "zaguan-conformance-"));
  const folder = join(options.keep, `${revision}-on-${form}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}
