/**
 * The test suite in three parts at the same time: files that only compute share one process, where starting one would
 * cost more than their tests; those of `test/flow`, which mostly wait for a hub's limits, run six at a time; all others
 * three at a time. What those of `test/flow` say is printed at once, that of the others when all are through; at the very
 * end, where a log that is cut still has it, stands what failed.
 *
 *   node scripts/test.ts            everything that `npm test` runs
 *   node scripts/test.ts --list     what runs together, and what apart
 */
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const ALL = [
  "src/**/*.test.ts",
  "test/*.test.ts",
  "test/contract/**/*.test.ts",
  "test/simulation/*.test.ts",
  "test/flow/**/*.test.ts",
  "bench/*.test.ts",
  "bench/{load,programs,report}/*.test.ts",
];
/** Nothing in these opens a socket, starts a process or waits. */
const COMPUTES = /^src\/(?:apis|cluster|config|console|core|messages|observe|openapi|protocol|schema|security)\//;
/** In one process, a hook outside of every `describe` would run around the tests of all files. */
const HOOK = /^(?:before|after|beforeEach|afterEach)\(/m;
const TOO_LONG_MS = 120_000;
/** Hundreds of processes load the same modules: each is stripped of its types and compiled once. */
const COMPILED = resolve("node_modules/.cache/compiled-tests");

function isTogether(file: string): boolean {
  return COMPUTES.test(file) && !HOOK.test(readFileSync(file, "utf8"));
}

const files = globSync(ALL).sort();
const together = files.filter(isTogether);
const flow = files.filter((file) => file.startsWith("test/flow/"));
const apart = files.filter((file) => !together.includes(file) && !flow.includes(file));

interface Run {
  readonly code: Promise<number>;
  readonly said: Promise<string>;
}

function run(args: readonly string[], isShown = false): Run {
  const common = ["--test", "--test-reporter=spec", `--test-timeout=${TOO_LONG_MS}`];
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED };
  const child = spawn(process.execPath, [...common, ...args], { stdio: ["ignore", "pipe", "inherit"], env });
  if (isShown) child.stdout.pipe(process.stdout, { end: false });
  const code = new Promise<number>((resolve) => {
    child.on("close", (exit) => resolve(exit ?? 1));
  });
  return { code, said: text(child.stdout) };
}

/** The reporter's own summary of what failed. */
function failuresIn(said: string): string {
  const start = said.lastIndexOf("\n✖ failing tests:");
  return start < 0 ? "" : said.slice(start);
}

async function runAll(): Promise<number> {
  const computing = run(["--test-isolation=none", ...together]);
  const others = run(["--test-concurrency=3", ...apart]);
  const flows = run(["--test-concurrency=6", ...flow], true);
  const codes = await Promise.all([flows.code, others.code, computing.code]);
  const said = await Promise.all([flows.said, others.said, computing.said]);
  process.stdout.write(`\n${apart.length} files with a process each:\n${said[1]}`);
  process.stdout.write(`\n${together.length} files in one process:\n${said[2]}`);
  process.stdout.write(said.map(failuresIn).join(""));
  const failed = ["test/flow", "files with a process each", "files in one process"].filter((_, part) => codes[part]);
  console.log(failed.length === 0 ? "\nall passed" : `\nsomething failed in: ${failed.join(", ")}`);
  return Math.max(...codes);
}

if (process.argv.includes("--list")) console.log({ together, apart, flow });
else process.exitCode = await runAll();
