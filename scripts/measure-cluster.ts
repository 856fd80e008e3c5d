/**
 * Measures a cluster of three nodes on this machine in one run, against a real PostgreSQL and a real NATS: a forwarded call beside
 * a local one, idle nodes, sessions and devices, a revoked key, a start with many sources, the table of owners, a heartbeat. Writes
 * docs/cluster-figures.json, of which `npm run generate` makes docs/scale.md. Decides nothing, since machines differ.
 *
 *   npm run measure:cluster                          about ten minutes, on a machine that does nothing else
 *   npm run measure:cluster -- --quick               in small, and writes nothing
 *   npm run measure:cluster -- --only calls,leases   these alone, and writes nothing
 *   npm run measure:cluster -- --only calls --profile DIR   with a profile of each node's processor in that folder
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureBeat } from "./cluster/beat.ts";
import { measureCalls } from "./cluster/calls.ts";
import { type Made, type MeasuredFigures, writeFigures } from "./cluster/figures.ts";
import { measureDevices, measureSessions } from "./cluster/holders.ts";
import { measureIdle } from "./cluster/idle.ts";
import { measureLeases } from "./cluster/leases.ts";
import { circumstances } from "./cluster/made.ts";
import { measureRevocation } from "./cluster/revocation.ts";
import { measureStart } from "./cluster/start.ts";
import { ClusterWorld } from "./cluster/world.ts";
import { installNats } from "./nats.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    profile: { type: "string" },
    rounds: { type: "string", default: "7" },
  },
});
const IS_QUICK = values.quick;
const NAMES: readonly string[] = ["uno", "dos", "tres"];
const SCHEMA = "measured";
const SOURCE = "echo";
const ECHO = fileURLToPath(new URL("../bench/programs/echo-stdio.mjs", import.meta.url));
const CONFIG = { mcpServers: { [SOURCE]: { command: process.execPath, args: [ECHO, '{"era":"2025","tools":1}'] } } };

type Part = Exclude<keyof MeasuredFigures, keyof Made>;

/** In this order: what needs the three nodes first, and of that what fills them last. */
const PARTS: Readonly<Record<Part, (world: ClusterWorld) => Promise<object>>> = {
  idle: (world) => measureIdle(world, IS_QUICK ? 3 : 30),
  calls: async (world) => {
    const owner = NAMES.indexOf(holder);
    return measureCalls(world, { rounds: IS_QUICK ? 1 : Number(values.rounds), seconds: IS_QUICK ? 1 : 4, owner });
  },
  revocation: (world) => measureRevocation(world, IS_QUICK ? 3 : 30),
  sessions: async (world) => {
    await startAnew(world);
    return measureSessions(world, { count: IS_QUICK ? 300 : 10_000, idleSeconds: IS_QUICK ? 2 : 30 });
  },
  devices: async (world) => {
    await startAnew(world);
    return measureDevices(world, { count: IS_QUICK ? 150 : 5_000, idleSeconds: IS_QUICK ? 2 : 30 });
  },
  start: async (world) => {
    await world.stopNodes();
    return measureStart(world, IS_QUICK ? 20 : 1_000, IS_QUICK ? 1 : 5);
  },
  leases: async (world) => {
    await world.stopNodes();
    return measureLeases(world, SCHEMA, IS_QUICK ? 5 : 50, IS_QUICK ? 2 : 15);
  },
  beat: (world) => measureBeat(world.nats.url),
};

/** What earlier parts have left in memory must not be counted. */
async function startAnew(world: ClusterWorld): Promise<void> {
  await world.stopNodes();
  await world.startAll(NAMES, SCHEMA, CONFIG);
  await world.holderOf(SOURCE);
}

const found = installNats();
if ("missing" in found) throw new Error(found.missing);
const made = circumstances();
const wanted = values.only?.split(",");
const figures: Partial<Record<Part, object>> = {};
let holder = "";
const world = await ClusterWorld.open(values.profile);
try {
  await world.startAll(NAMES, SCHEMA, CONFIG);
  holder = await world.holderOf(SOURCE);
  for (const [part, measure] of Object.entries(PARTS) as [Part, (typeof PARTS)[Part]][]) {
    if (wanted && !wanted.includes(part)) continue;
    figures[part] = await measure(world);
    console.log(`${part}: ${JSON.stringify(figures[part], null, 1).replace(/\s+/g, " ")}`);
  }
} finally {
  await world.close();
}
if (!IS_QUICK && !wanted) writeFigures({ measured: { ...made(), ...figures } as MeasuredFigures });
