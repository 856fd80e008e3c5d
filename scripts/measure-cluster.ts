/**
 * Measures a cluster of three nodes on this machine with a real PostgreSQL and a real NATS: forwarded and local calls, idle nodes,
 * sessions and devices, a revoked key, a start with many sources, the table of owners, heartbeats. Writes docs/cluster-figures.json,
 * of which `npm run generate` makes docs/scale.md. It has no pass or fail, since machines differ.
 *
 *   npm run measure:cluster                          about ten minutes, on an otherwise idle machine
 *   npm run measure:cluster -- --quick               a short run that writes nothing
 *   npm run measure:cluster -- --only calls,leases   only these parts, and writes nothing
 *   npm run measure:cluster -- --only calls --profile DIR   with a CPU profile of each node in that folder
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureBeat } from "./cluster/beat.ts";
import { measureCalls } from "./cluster/calls.ts";
import { recordCircumstances } from "./cluster/circumstances.ts";
import { type Circumstances, type MeasuredFigures, writeFigures } from "./cluster/figures.ts";
import { measureIdle } from "./cluster/idle.ts";
import { measureDevices, measureSessions } from "./cluster/idle-clients.ts";
import { measureLeases } from "./cluster/leases.ts";
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

type Part = Exclude<keyof MeasuredFigures, keyof Circumstances>;

/** The parts in their order: those that need the three nodes first, and among them those that fill the memory of nodes last. */
const PARTS: Readonly<Record<Part, (world: ClusterWorld) => Promise<object>>> = {
  idle: (world) => measureIdle(world, IS_QUICK ? 3 : 30),
  calls: async (world) => {
    const owner = NAMES.indexOf(holder);
    return measureCalls(world, { rounds: IS_QUICK ? 1 : Number(values.rounds), seconds: IS_QUICK ? 1 : 4, owner });
  },
  revocation: (world) => measureRevocation(world, IS_QUICK ? 3 : 30),
  sessions: async (world) => {
    await restartNodes(world);
    return measureSessions(world, { count: IS_QUICK ? 300 : 10_000, idleSeconds: IS_QUICK ? 2 : 30 });
  },
  devices: async (world) => {
    await restartNodes(world);
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

/** Restarts the nodes, so that memory of earlier parts is not counted. */
async function restartNodes(world: ClusterWorld): Promise<void> {
  await world.stopNodes();
  await world.startAll(NAMES, SCHEMA, CONFIG);
  await world.holderOf(SOURCE);
}

const found = installNats();
if ("missing" in found) throw new Error(found.missing);
const made = recordCircumstances();
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
