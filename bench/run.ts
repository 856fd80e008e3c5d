/**
 * `npm run bench`: the same work through a bare relay, Zaguan, other gateways and the official SDK, on this machine and in
 * one run. Only ratios within a run mean anything. Fails if an answer was wrong.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compare } from "./compare.ts";
import { measureCurves } from "./curve.ts";
import { installPackages } from "./install.ts";
import { Generator } from "./load/generator.ts";
import { thisMachine } from "./machine.ts";
import { measureSessions } from "./memory.ts";
import { type Options, readOptions } from "./options.ts";
import { stopAll, stopping } from "./processes.ts";
import { barChart } from "./report/bars.ts";
import { plotCurves } from "./report/plots.ts";
import { curveTable, sessionsTable, soakTable, startTable, workTable } from "./report/table.ts";
import { verdictLines, verdicts, verdictsBefore } from "./report/targets.ts";
import { errorsIn, type Machine, type Results, type WorkResult } from "./results.ts";
import type { Tools } from "./rounds.ts";
import { measureSoak } from "./soak.ts";
import { measureStarts } from "./start-up.ts";
import { BEFORE } from "./subjects.ts";
import { WORK, type Work } from "./work.ts";

const FOLDER = fileURLToPath(new URL("./results/", import.meta.url));

const MODES = { compare: compareAll, curve: drawCurves, soak } as const;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (!options) return 0;
  installPackages();
  const generator = new Generator();
  try {
    return await MODES[options.mode]({ generator, options, progress });
  } finally {
    generator.end();
    await stopAll();
  }
}

async function drawCurves(tools: Tools): Promise<number> {
  const machine = thisMachine();
  sayWhere(machine, tools.options);
  const curves = await measureCurves(tools, (curve) => say(curveTable(curve)));
  keep("curve.json", `${JSON.stringify({ machine, curves }, null, 1)}\n`);
  keep("curve.svg", plotCurves(curves, machine));
  const errors = curves.flatMap(({ errors }) => errors);
  return sayErrors(errors) ? 1 : 0;
}

async function soak(tools: Tools): Promise<number> {
  const found = await measureSoak(tools);
  keep("soak.json", `${JSON.stringify({ machine: thisMachine(), ...found }, null, 1)}\n`);
  say(soakTable(found));
  return sayErrors(found.errors) || (tools.options.strict && found.heapGrowth >= 0.01) ? 1 : 0;
}

async function compareAll(tools: Tools): Promise<number> {
  const { options } = tools;
  const machine = thisMachine();
  sayWhere(machine, options);
  const works: WorkResult[] = [];
  for (const work of worksOf(options)) {
    const result = await compare(work, tools);
    works.push(result);
    say(workTable(result));
  }
  const starts = options.works.includes("start") ? await measureStarts(tools) : [];
  if (starts.length > 0) say(startTable(starts));
  const sessions = options.works.includes("sessions") ? await measureSessions(tools) : undefined;
  if (sessions) say(sessionsTable(sessions));
  const { rounds, seconds } = options;
  return conclude({ machine, rounds, seconds, works, starts, ...(sessions ? { sessions } : {}) }, options);
}

/** Beside another checkout there is nobody but Zaguan. */
function worksOf({ works, before }: Options): Work[] {
  const wanted = WORK.filter(({ name }) => works.includes(name));
  if (before === undefined) return wanted;
  return wanted
    .filter(({ subjects }) => subjects.includes("zaguan"))
    .map((work) => ({ ...work, subjects: [BEFORE, "zaguan"] }));
}

function conclude(results: Results, { strict, before }: Options): number {
  keep("latest.json", `${JSON.stringify(results, null, 1)}\n`);
  keep("latest.svg", barChart(results));
  const judged = before === undefined ? verdicts(results) : verdictsBefore(results);
  say("what must be shown");
  for (const said of verdictLines(judged)) say(`  ${said}`);
  say("   –    growth of memory in ten minutes of mixed load: npm run bench -- --soak 10");
  const missed = strict && judged.some(({ passed }) => passed === false);
  return sayErrors(errorsIn(results.works)) || missed ? 1 : 0;
}

/** Whether there were any. */
function sayErrors(errors: readonly string[]): boolean {
  for (const error of errors) say(`WRONG  ${error}`);
  say(errors.length === 0 ? "every answer was right" : "answers were wrong");
  return errors.length > 0;
}

function sayWhere({ processor, cores, node }: Machine, { rounds, seconds }: Options): void {
  say(`${processor}, ${cores} cores, Node ${node}; ${rounds} rounds of ${seconds} s\n`);
}

function keep(file: string, content: string): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${file}`, content);
}

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  process.stdout.write(`${text}\n`);
}

/** On a terminal one line that changes, else nothing but what lasts. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!stopping.asked) process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = stopping.asked ? 130 : 2;
}
