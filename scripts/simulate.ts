/**
 * Runs simulated histories of a cluster and says what came of them; ends with the first that breaks a rule, its seed and its
 * trace.
 *
 *   npm run simulate -- --histories 1000 --seed 1 --nodes 3     under faults
 *   npm run simulate -- --seed 42 --histories 1                 one history again, exactly
 *   npm run simulate -- --rolling                               nodes restarted in order: no call may fail
 *   npm run simulate -- --broken no-epoch-check                 with one rule left out: must be found
 *   npm run simulate -- --scale                                 a thousand nodes and a million sources
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { type Batch, runBatch } from "../test/simulation/batch.ts";
import { BROKEN, SOUND } from "../test/simulation/broken.ts";
import { runScale } from "../test/simulation/scale.ts";

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
    sources: { type: "string" },
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

if (values.scale)
  console.log(runScale(Number(values.nodes === "3" ? 1_000 : values.nodes), Number(values.sources ?? 1_000_000)));
else process.exitCode = simulate();
