/**
 * Runs simulated histories of a cluster and says what came of them; ends with the first that breaks a rule, its seed and its
 * trace.
 *
 *   npm run simulate -- --histories 1000 --seed 1 --nodes 3     under faults
 *   npm run simulate -- --seed 42 --histories 1                 one history again, exactly
 *   npm run simulate -- --rolling                               nodes restarted in order: no call may fail
 *   npm run simulate -- --broken no-epoch-check                 with one rule left out: must be found
 *   npm run simulate -- --scale                                 a thousand nodes and a million sources, in some minutes
 *   npm run simulate -- --scale --keep                          the same for docs/scale.md
 *   npm run simulate -- --scale --rows-per-second 50000         with a database that writes no more rows than that
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { type Batch, runBatch } from "../test/simulation/batch.ts";
import { BROKEN, SOUND } from "../test/simulation/broken.ts";
import { runScale, type ScalePhase } from "../test/simulation/scale.ts";
import { recordCircumstances } from "./cluster/circumstances.ts";
import { writeFigures } from "./cluster/figures.ts";

/** Of a trace, what is worth reading: the end. */
const TRACE_LINES = 400;

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    nodes: { type: "string", default: "3" },
    broken: { type: "string" },
    rolling: { type: "boolean", default: false },
    scale: { type: "boolean", default: false },
    sources: { type: "string", default: "1000000" },
    "rows-per-second": { type: "string" },
    keep: { type: "boolean", default: false },
  },
});

function simulate(): number {
  const variant = values.broken === undefined ? SOUND : BROKEN[values.broken];
  if (!variant) {
    console.error(`--broken is one of ${Object.keys(BROKEN).join(", ")}`);
    return 2;
  }
  const mode = values.rolling ? "rolling" : "faults";
  const startedAt = performance.now();
  const options = { nodes: Number(values.nodes), variant, mode } as const;
  const batch = runBatch(Number(values.seed), Number(values.histories), options, showProgress);
  if (process.stderr.isTTY) process.stderr.write("\n");
  if (batch.failure) {
    console.log(batch.failure.trace.slice(-TRACE_LINES).join("\n"));
    console.log(`\nseed ${batch.failure.seed}: ${batch.failure.what}`);
  }
  console.log(summaryOf(batch, performance.now() - startedAt));
  return Boolean(batch.failure) === Boolean(values.broken) ? 0 : 1;
}

function showProgress({ histories, calls, faults }: Batch): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${histories} histories, ${calls} calls, ${faults} faults`);
}

function summaryOf(batch: Batch, ms: number): string {
  const { histories, calls, results, notSent, unknown, faults, moves, writes, failure } = batch;
  const verdict = failure ? "a rule was broken" : "no rule was broken";
  return [
    `${histories} histories in ${(ms / 1_000).toFixed(1)} s: ${verdict}${values.broken ? ` (${values.broken})` : ""}`,
    `${calls} calls: ${results} results, ${notSent} not sent, ${unknown} unknown, the rest went down with their node`,
    `${faults} faults, ${moves} takeovers, ${writes} confirmed writes`,
  ].join("\n");
}

function simulateScale(): void {
  const made = recordCircumstances();
  const nodes = values.nodes === "3" ? 1_000 : Number(values.nodes);
  const limit = values["rows-per-second"];
  const options = { nodes, sources: Number(values.sources), ...(limit && { rowsPerSecond: Number(limit) }) };
  const report = runScale(options, (phase) => console.log(phaseText(phase)));
  const { tableMs, machineMiB, machineWithOwnersMiB, sourceListMiB } = report;
  console.log(`a table of slots: ${tableMs.toFixed(0)} ms`);
  console.log(
    `memory of one node: machine ${machineMiB.toFixed(1)} MiB, with all that it was told of owners ` +
      `${machineWithOwnersMiB.toFixed(1)} MiB, list of all sources ${sourceListMiB.toFixed(0)} MiB`,
  );
  if (values.keep) writeFigures({ simulated: { ...made(), ...report } });
}

function phaseText(phase: ScalePhase): string {
  const { what, ownedAfterSeconds, settledAfterSeconds, taken, handedOver, heldTwice, seconds } = phase;
  const owned = ownedAfterSeconds === undefined ? "never" : `after ${ownedAfterSeconds.toFixed(1)} s`;
  const perSecond = (count: number): string => `${(count / seconds).toFixed(0)}/s`;
  return [
    `${what}: all held ${owned}, nothing moved after ${settledAfterSeconds.toFixed(1)} s, ${seconds.toFixed(0)} s looked at`,
    `  ${taken} taken, ${handedOver} handed over by a living owner, ${heldTwice} held twice`,
    `  ${phase.nodes} nodes: the fullest has ${phase.fullest.toFixed(3)} of the mean, the emptiest ${phase.emptiest.toFixed(3)}`,
    `  statements ${perSecond(phase.statements)}, at most ${phase.statementsInBusiestSecond}/s; ` +
      `rows ${perSecond(phase.rows)}, at most ${phase.rowsInBusiestSecond}/s`,
    `  heard by all nodes: beats ${perSecond(phase.beatsHeard)}, other messages ${phase.othersHeard}, ` +
      `${phase.megabytesHeard.toFixed(0)} MB; one machine works ${phase.machineMsPerSecond.toFixed(2)} ms a second`,
  ].join("\n");
}

if (values.scale) simulateScale();
else process.exitCode = simulate();
