/** Measures forwarded calls, to a program of another node, and local calls, to the same program at its own node, in turns. */
import { Generator } from "../../bench/load/generator.ts";
import type { Question, Stretch } from "../../bench/load/protocol.ts";
import { quantile, ratiosOf, spreadOf } from "../../bench/statistics.ts";
import type { CallFigures } from "./figures.ts";
import { measureUsage, sum, type Usage } from "./usage.ts";
import type { ClusterWorld } from "./world.ts";

const CONNECTIONS = 16;
const QUESTION: Question = { method: "tools/call", era: "2025", bytes: 32, tools: 1, prefixes: [""] };
/** Warm-up time, after which the code is optimized: before that it takes several times as long. */
const WARM_SECONDS = 8;

interface Route {
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
  const routes = [newRoute("local", options.owner), newRoute("forwarded", other)] as const;
  const generator = new Generator();
  try {
    await openAll(world, generator, routes);
    for (let round = 0; round < options.rounds; round++)
      for (const route of routes) await measureRound(world, generator, route, options.seconds);
  } finally {
    generator.end();
  }
  const [local, forwarded] = routes;
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

async function openAll(world: ClusterWorld, generator: Generator, routes: readonly Route[]): Promise<void> {
  for (const { name, entry } of routes)
    for (const connections of [1, CONNECTIONS]) {
      const target = { kind: "http", url: `${world.nodes[entry]?.url}/mcp` } as const;
      await generator.open(`${name} ${connections}`, { target, question: QUESTION, connections });
      await generator.run(`${name} ${connections}`, WARM_SECONDS);
    }
}

async function measureRound(world: ClusterWorld, generator: Generator, route: Route, seconds: number): Promise<void> {
  const one = withoutErrors(await generator.run(`${route.name} 1`, seconds), route);
  const sorted = one.latencies.toSorted();
  route.medians.push(quantile(sorted, 0.5));
  route.p99s.push(quantile(sorted, 0.99));
  const [cost, many] = await measureUsage(world, () => generator.run(`${route.name} ${CONNECTIONS}`, seconds));
  withoutErrors(many, route);
  route.throughput.push((many.answers / many.elapsedMs) * 1_000);
  route.costs.push(cost);
  route.calls += many.answers;
}

function withoutErrors(stretch: Stretch, { name }: Route): Stretch {
  if (stretch.errors > 0) throw new Error(`${name}: ${stretch.errors} calls failed: ${stretch.reasons.join("; ")}`);
  return stretch;
}

function figuresOf(route: Route, owner: number): CallFigures["local"] {
  const each = (of: (cost: Usage) => number): number => sum(route.costs.map(of)) / route.calls;
  return {
    perSecond: spreadOf(route.throughput),
    medianMs: spreadOf(route.medians),
    p99Ms: spreadOf(route.p99s),
    entryMs: each(({ nodes }) => nodes[route.entry] ?? 0),
    ownerMs: route.entry === owner ? 0 : each(({ nodes }) => nodes[owner] ?? 0),
    sourceMs: each(({ children }) => children),
    natsMs: each(({ nats }) => nats),
    postgresMs: each(({ postgres }) => postgres),
    busMessages: each(({ busMessages }) => busMessages),
    busBytes: each(({ busBytes }) => busBytes),
  };
}

function newRoute(name: Route["name"], entry: number): Route {
  return { name, entry, throughput: [], medians: [], p99s: [], costs: [], calls: 0 };
}
