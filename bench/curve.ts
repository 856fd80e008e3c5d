/**
 * How Zaguan's cost grows: each axis from its smallest point to its largest, all points side by side in the same rounds,
 * each compared with the smallest. A new axis is one entry in the table.
 */
import { residentBytes } from "./processes.ts";
import { type Contender, enter, leave, runRounds, type Tools } from "./rounds.ts";
import { ratiosOf, type Spread, spreadOf } from "./statistics.ts";
import type { Running, Subject } from "./subjects/subject.ts";
import { type ZaguanOptions, zaguan } from "./subjects/zaguan.ts";
import { WORK, type Work } from "./work.ts";

export interface Point {
  readonly value: number;
  /** Throughput against the smallest point's. */
  readonly ratio: Spread;
  readonly perSecond: number;
  /** Milliseconds of the median answer. */
  readonly median: number;
  /** Microseconds of processor time for each answer. */
  readonly processor: number;
  readonly megabytes: number;
}

export interface Curve {
  readonly name: string;
  readonly title: string;
  readonly points: readonly Point[];
  /** The first point that, in its best round, does less than nine tenths of what the best before it did. */
  readonly bend?: number;
  /** Wrong answers, in words. */
  readonly errors: readonly string[];
}

interface Axis {
  readonly name: string;
  readonly title: string;
  readonly values: readonly number[];
  work(value: number): Partial<Work>;
  options?(value: number): ZaguanOptions;
  /** Sessions that are there beside the one that works. */
  idleSessions?(value: number): number;
}

const AXES: readonly Axis[] = [
  {
    name: "connections",
    title: "connections, tools/call",
    values: [1, 4, 16, 64, 256],
    work: (connections) => ({ connections }),
  },
  {
    name: "sources",
    title: "configured sources, 10 tools each, tools/call",
    values: [1, 10, 100, 1_000],
    work: () => ({}),
    options: (sources) => ({ idleSources: sources - 1 }),
  },
  {
    name: "tools",
    title: "tools of one source, tools/call",
    values: [10, 100, 1_000, 10_000],
    work: (tools) => ({ tools }),
  },
  {
    name: "list",
    title: "tools of one source, tools/list (first page)",
    values: [10, 100, 1_000, 10_000],
    work: (tools) => ({ tools, method: "tools/list" }),
  },
  {
    name: "sessions",
    title: "open sessions, tools/call in one of them",
    values: [1, 100, 1_000, 10_000],
    work: () => ({}),
    idleSessions: (sessions) => sessions - 1,
  },
];

export async function measureCurves(tools: Tools, tell: (curve: Curve) => void): Promise<Curve[]> {
  const curves: Curve[] = [];
  for (const axis of AXES) {
    const curve = await measureAxis(axis, tools);
    curves.push(curve);
    tell(curve);
  }
  return curves;
}

async function measureAxis(axis: Axis, tools: Tools): Promise<Curve> {
  const contenders: Contender[] = [];
  try {
    for (const value of axis.values) {
      const work = { ...(WORK[0] as Work), name: axis.name, ...axis.work(value) };
      const entered = await enter(subjectAt(axis, value, tools), work, tools);
      if (!("running" in entered)) throw new Error(`${axis.name} ${value}: ${entered.missing}`);
      contenders.push(entered);
    }
    await runRounds(axis.name, contenders, tools);
    const points = pointsOf(axis, contenders);
    const bend = bendOf(points);
    const errors = contenders.flatMap(({ rounds }) => rounds.flatMap(({ reasons }) => reasons));
    return { name: axis.name, title: axis.title, points, errors, ...(bend === undefined ? {} : { bend }) };
  } finally {
    for (const { key, running } of contenders) await leave(key, running, tools.generator);
  }
}

function subjectAt(axis: Axis, value: number, { generator }: Tools): Subject {
  const start = async (work: Work): Promise<Running> => {
    const running = await zaguan(work, axis.options?.(value));
    const idle = axis.idleSessions?.(value);
    if (idle === undefined || running.target.kind !== "http") return running;
    const { target } = running;
    const ready = async (): Promise<void> => {
      await running.ready?.();
      await generator.fill(target.url, idle);
    };
    return { ...running, target: { ...target, sessions: 1 }, ready };
  };
  return { name: `${axis.name} ${value}`, what: axis.title, ours: true, start };
}

function pointsOf(axis: Axis, contenders: readonly Contender[]): Point[] {
  const base = contenders[0]?.rounds.map(({ perSecond }) => perSecond) ?? [];
  return contenders.map(({ rounds, running }, place) => {
    const middle = (values: readonly number[]): number => spreadOf(values).median;
    const speeds = rounds.map(({ perSecond }) => perSecond);
    return {
      value: axis.values[place] ?? 0,
      ratio: ratiosOf(speeds, base),
      perSecond: middle(speeds),
      median: middle(rounds.map(({ median }) => median)),
      processor: middle(rounds.map(({ processor }) => processor)),
      megabytes: residentBytes(running.pid ?? 0) / 1e6,
    };
  });
}

export function bendOf(points: readonly Pick<Point, "value" | "ratio">[]): number | undefined {
  let best = 0;
  for (const { value, ratio } of points) {
    if (ratio.max < best * 0.9) return value;
    best = Math.max(best, ratio.median);
  }
  return undefined;
}
