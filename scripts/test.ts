/**
 * The test suite in three parts at the same time. Starting a process and loading the hub costs more than the tests of most
 * files, so files share processes, one after another in each: those of `test/flow`, which mostly wait for a hub's limits,
 * share six; all others three. Files that look at or change what a process has only once get one each. What the tests of
 * `test/flow` say is printed at once, that of the others when all are through; at the very end, where a log that is cut
 * still has it, stands what failed.
 *
 *   node scripts/test.ts            everything that `npm test` runs
 *   node scripts/test.ts --list     which files share a process, and which have their own
 */
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";

const ALL = [
  "src/**/*.test.ts",
  "test/*.test.ts",
  "test/contract/**/*.test.ts",
  "test/simulation/*.test.ts",
  "test/flow/**/*.test.ts",
  "bench/*.test.ts",
  "bench/{load,programs,report}/*.test.ts",
];
/**
 * What a process has only once: its open files, its children and what keeps it alive, which a test counts; its timers and
 * functions, which a test replaces; its warnings and uncaught errors, to which a test listens.
 */
const OF_ITS_PROCESS =
  /\b(?:openFiles|ownChildren|inheritableFiles|getActiveResourcesInfo|WeakRef|undertakerPid)\b|\bmock\.|\bprocess\.(?:on|once|chdir)\(/;
const FLOW_PROCESSES = 6;
const OTHER_PROCESSES = 3;
const TOO_LONG_MS = 120_000;
/** Many processes load the same modules, stripped of their types and compiled once: those of the hub when it was installed. */
const COMPILED = resolve("node_modules/.cache/zaguan");

const files = globSync(ALL).sort();
const own = files.filter((file) => OF_ITS_PROCESS.test(readFileSync(file, "utf8")));
const shared = files.filter((file) => !own.includes(file));
const isFlow = (file: string): boolean => file.startsWith("test/flow/");
const flow = dealt(shared.filter(isFlow), FLOW_PROCESSES);
const others = dealt(
  shared.filter((file) => !isFlow(file)),
  OTHER_PROCESSES,
);

/** In turn, so that neighbours, which often take equally long, are not in the same process. */
function dealt(all: readonly string[], count: number): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, process) => all.filter((_, index) => index % count === process));
}

interface Run {
  readonly code: Promise<number>;
  readonly said: Promise<string>;
}

function run(args: readonly string[], more: NodeJS.ProcessEnv = {}, isShown = false): Run {
  const common = ["--test", "--test-reporter=spec", `--test-timeout=${TOO_LONG_MS}`];
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...more };
  const child = spawn(process.execPath, [...common, ...args], { stdio: ["ignore", "pipe", "inherit"], env });
  if (isShown) child.stdout.pipe(process.stdout, { end: false });
  const code = new Promise<number>((resolve) => {
    child.on("close", (exit) => resolve(exit ?? 1));
  });
  return { code, said: text(child.stdout) };
}

function runShared(together: readonly string[], isShown: boolean): Run {
  const files = { TEST_FILES: together.map((file) => resolve(file)).join("\n") };
  return run(["--test-isolation=none", "test/support/shared-process.ts"], files, isShown);
}

/** The reporter's own summary of what failed. */
function failuresIn(said: string): string {
  const start = said.lastIndexOf("\n✖ failing tests:");
  return start < 0 ? "" : said.slice(start);
}

async function runAll(): Promise<number> {
  const flows = flow.map((together) => runShared(together, true));
  const unshown = [...others.map((together) => runShared(together, false)), run(["--test-concurrency=1", ...own])];
  const runs = [...flows, ...unshown];
  const codes = await Promise.all(runs.map(({ code }) => code));
  for (const { said } of unshown) process.stdout.write(await said);
  for (const { said } of runs) process.stdout.write(failuresIn(await said));
  const failed = codes.filter((code) => code !== 0).length;
  console.log(failed === 0 ? "\nall passed" : `\nsomething failed in ${failed} of ${codes.length} runs`);
  return Math.max(...codes);
}

if (process.argv.includes("--list")) console.log(inspect({ own, flow, others }, { maxArrayLength: null }));
else process.exitCode = await runAll();
