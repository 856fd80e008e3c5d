/** A call to a program that another node runs, beside one to a program of the node that is asked, in turns. */
import { Generator } from "../../bench/load/generator.ts";
import type { Question, Stretch } from "../../bench/load/protocol.ts";
import { quantile, ratiosOf, spreadOf } from "../../bench/statistics.ts";
import type { CallFigures } from "./figures.ts";
import { sum, type Usage, used } from "./usage.ts";
import type { ClusterWorld } from "./world.ts";

const CONNECTIONS = 16;
const QUESTION: Question = { method: "tools/call", era: "2025", bytes: 32, tools: 1, prefixes: [""] };
/** Until the compiler has seen enough of it: code that is not yet optimized takes several times as long. */
const WARM_SECONDS = 8;

interface Way {
  readonly name: "local" | "forwarded";
  readonly entry: number;
  readonly throughput: number[];
  readonly medians: number[];
  readonly p99s: number[];
  readonly costs: Usage[];
  calls: number;
}

interface CallOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** The index of the node that runs the program. */
  readonly owner: number;
}

export async function measureCalls(world: ClusterWorld, options: CallOptions): Promise<CallFigures> {
  const other = world.nodes.findIndex((_, index) => index !== options.owner);
  const ways = [newWay("local", options.owner), newWay("forwarded", other)] as const;
  const generator = new Generator();
  try {
    await openAll(world, generator, ways);
    for (let round = 0; round < options.rounds; round++)
      for (const way of ways) await measureRound(world, generator, way, options.seconds);
  } finally {
    generator.end();
  }
  const [local, forwarded] = ways;
  const added = forwarded.medians.map((ms, round) => ms - (local.medians[round] ?? Number.NaN));
  return {
    rounds: options.rounds,
    connections: CONNECTIONS,
    local: figuresOf(local, options.owner),
    forwarded: figuresOf(forwarded, options.owner),
    throughputRatio: ratiosOf(forwarded.throughput, local.throughput),
    addedMs: spreadOf(added),
  };
}

async function openAll(world: ClusterWorld, generator: Generator, ways: readonly Way[]): Promise<void> {
  for (const { name, entry } of ways)
    for (const connections of [1, CONNECTIONS]) {
      const target = { kind: "http", url: `${world.nodes[entry]?.url}/mcp` } as const;
      await generator.open(`${name} ${connections}`, { target, question: QUESTION, connections });
      await generator.run(`${name} ${connections}`, WARM_SECONDS);
    }
}

async function measureRound(world: ClusterWorld, generator: Generator, way: Way, seconds: number): Promise<void> {
  const one = sound(await generator.run(`${way.name} 1`, seconds), way);
  const sorted = one.latencies.toSorted();
  way.medians.push(quantile(sorted, 0.5));
  way.p99s.push(quantile(sorted, 0.99));
  const [cost, many] = await used(world, () => generator.run(`${way.name} ${CONNECTIONS}`, seconds));
  sound(many, way);
  way.throughput.push((many.answers / many.elapsedMs) * 1_000);
  way.costs.push(cost);
  way.calls += many.answers;
}

function sound(stretch: Stretch, { name }: Way): Stretch {
  if (stretch.errors > 0) throw new Error(`${name}: ${stretch.errors} calls failed: ${stretch.reasons.join("; ")}`);
  return stretch;
}

function figuresOf(way: Way, owner: number): CallFigures["local"] {
  const each = (of: (cost: Usage) => number): number => sum(way.costs.map(of)) / way.calls;
  return {
    perSecond: spreadOf(way.throughput),
    medianMs: spreadOf(way.medians),
    p99Ms: spreadOf(way.p99s),
    entryMs: each(({ nodes }) => nodes[way.entry] ?? 0),
    ownerMs: way.entry === owner ? 0 : each(({ nodes }) => nodes[owner] ?? 0),
    sourceMs: each(({ children }) => children),
    natsMs: each(({ nats }) => nats),
    postgresMs: each(({ postgres }) => postgres),
    busMessages: each(({ busMessages }) => busMessages),
    busBytes: each(({ busBytes }) => busBytes),
  };
}

function newWay(name: Way["name"], entry: number): Way {
  return { name, entry, throughput: [], medians: [], p99s: [], costs: [], calls: 0 };
}
