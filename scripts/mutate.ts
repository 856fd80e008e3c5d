/**
 * Do the tests notice? Makes small changes to the source, one at a time and in a copy of the tree, and runs the tests that
 * reach the changed line. What nobody notices is listed at the end. A change that does not compile does not count.
 *
 *   npm run mutate -- --count 20 --seed 1 --only src/core,src/security --tests "src/core/*.test.ts"
 *   npm run mutate -- --most-tests 12       no more than the nearest for each; the share noticed is then a lower bound
 */
import { globSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { API } from "typescript/unstable/sync";
import { Random } from "../test/support/seed.ts";
import { TreeCopy } from "./mutate/copy.ts";
import { Coverage } from "./mutate/coverage.ts";
import { type Mutant, mutantsIn } from "./mutate/mutants.ts";

const EVERY_TEST = [
  "src/**/*.test.ts",
  "test/*.test.ts",
  "test/contract/**/*.test.ts",
  "test/flow/**/*.test.ts",
  "test/slow/*.test.ts",
  "test/hard/*.test.ts",
  "test/mqtt/*.test.ts",
];
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "src" },
    tests: { type: "string", multiple: true, default: EVERY_TEST },
    "most-tests": { type: "string", default: "Infinity" },
  },
});
/** What is declared and not used any more still runs: TS6133, TS6192, TS6196, TS6198. */
const HARMLESS: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198]);
const AT_ONCE = 4;
/** Of the tests that ran in vain, the nearest are named. */
const SHOWN = 5;

const copy = new TreeCopy();
process.on("exit", () => copy.remove());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

const compiler = new API({ cwd: copy.folder });
const CONFIG = copy.path("tsconfig.json");

function program(changed: readonly string[] = []) {
  const fileChanges = { changed: [...changed] };
  const snapshot = compiler.updateSnapshot({ openProjects: [CONFIG], fileChanges });
  return (snapshot.getProject(CONFIG) ?? snapshot.getProjects()[0])?.program ?? fail(`no project in ${CONFIG}`);
}

function fail(reason: string): never {
  throw new Error(reason);
}

function compiles(path: string): boolean {
  const now = program([path]);
  const found = [...now.getSyntacticDiagnostics(path), ...now.getSemanticDiagnostics(path)];
  return found.every(({ code }) => HARMLESS.has(code));
}

interface Judged {
  readonly noticed: boolean;
  /** The tests that were run. */
  readonly ran: readonly string[];
}

/** What tests said of it; undefined where it does not count. The copy is as before afterwards. */
async function judge(mutant: Mutant, coverage: Coverage): Promise<Judged | undefined> {
  const before = copy.read(mutant.file);
  const tests = coverage.reaching(mutant.file, mutant.line).slice(0, Number(values["most-tests"]));
  copy.write(mutant.file, before.slice(0, mutant.start) + mutant.text + before.slice(mutant.end));
  try {
    if (!compiles(copy.path(mutant.file))) return undefined;
    return await noticedBy(tests, coverage);
  } finally {
    copy.write(mutant.file, before);
  }
}

async function noticedBy(tests: readonly string[], coverage: Coverage): Promise<Judged> {
  for (let ran = 0; ran < tests.length; ) {
    const next = tests.slice(ran, ran === 0 ? 1 : ran + AT_ONCE);
    ran += next.length;
    const usualMs = next.reduce((sum, test) => sum + coverage.msOf(test), 0);
    const { passed } = await copy.run(next, 30_000 + 5 * usualMs);
    if (!passed) return { noticed: true, ran: tests.slice(0, ran) };
  }
  return { noticed: false, ran: tests };
}

function allMutants(): Mutant[] {
  const parsed = program();
  const isWanted = (file: string): boolean => values.only.split(",").some((prefix) => file.startsWith(prefix));
  const files = globSync("src/**/*.ts", { exclude: ["src/console/**", "src/**/*.test.ts"] }).filter(isWanted);
  return files.sort().flatMap((file) => {
    const source = parsed.getSourceFile(copy.path(file));
    return source ? mutantsIn(file, source) : [];
  });
}

/** One line that is written over on a terminal, and a line each elsewhere. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  else process.stderr.write(`${text}\n`);
}

const dice = new Random(Number(values.seed));
const waiting = allMutants();
const coverage = new Coverage(copy);
const tests = globSync(values.tests, { exclude: ["src/console/**"] }).sort();
if (tests.length === 0) fail(`no test is called ${values.tests.join(" or ")}`);
await coverage.learn(tests, progress);
for (const test of coverage.failing) progress(`${test} fails without any change, and is left out\n`);

let valid = 0;
let survived = 0;
while (valid < Number(values.count) && waiting.length > 0) {
  const [mutant] = waiting.splice(dice.int(waiting.length), 1) as [Mutant];
  progress(`mutant ${valid + 1} of ${values.count}, ${survived} survived: ${mutant.file}:${mutant.line}`);
  const judged = await judge(mutant, coverage);
  if (!judged) continue;
  valid++;
  if (judged.noticed) continue;
  survived++;
  progress("");
  tellOf(mutant, judged);
}

function tellOf({ file, line, change }: Mutant, { ran }: Judged): void {
  const more = ran.length > SHOWN ? ` and ${ran.length - SHOWN} more` : "";
  const tests = ran.length === 0 ? "no test reaches it" : `ran: ${ran.slice(0, SHOWN).join(", ")}${more}`;
  console.log(`${file}:${line}\n  ${change}\n  ${tests}`);
}

compiler.close();
progress("");
const noticed = valid - survived;
console.log(`noticed ${noticed} of ${valid} (${((100 * noticed) / Math.max(1, valid)).toFixed(0)} %)`);
