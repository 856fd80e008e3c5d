/** What the figures must show, each with what this run found. A target is one line in the table. */
import { type Measured, type Results, type SubjectResult, subjectIn, valuesOf } from "../results.ts";
import { ratiosOf, type Spread, spreadOf } from "../statistics.ts";
import { spread } from "./format.ts";

export interface Verdict {
  readonly target: string;
  readonly found: string;
  /** Undefined if it was not measured. */
  readonly passed: boolean | undefined;
}

type Measure = (results: Results) => Spread | undefined;

interface Target {
  readonly says: string;
  readonly measure: Measure;
  readonly holds: (value: number) => boolean;
  readonly unit: string;
}

const NPM = ["supergateway", "mcp-proxy"];

const TARGETS: readonly Target[] = [
  atLeast(0.6, "", "tools/call, stdio upstream, of the floor (aim 0.8)", ratio("call", "floor-stdio", "perSecond")),
  atLeast(5, "×", "the same, of the faster npm peer", overPeers("call")),
  atLeast(0.6, "", "tools/call, HTTP upstream, of the floor", ratio("http", "floor-http", "perSecond")),
  atLeast(0.9, "", "tools/call at /servers/NAME/mcp, of /mcp", ratio("eras", "zaguan", "perSecond", "zaguan-server")),
  atLeast(0.9, "", "tools/call in 2026-07-28, of 2025-11-25", ratio("eras", "zaguan", "perSecond", "zaguan-2026")),
  atMost(0.15, " ms", "one connection, median over the floor's", excess("call-1", "floor-stdio")),
  atMost(2, "×", "one connection, 99th percentile of the floor's", ratio("call-1", "floor-stdio", "p99")),
  atMost(0.15, " ms", "one connection, HTTP upstream, median over the floor's", excess("http-1", "floor-http")),
  atMost(2, "×", "one connection, HTTP upstream, 99th percentile of the floor's", ratio("http-1", "floor-http", "p99")),
  atLeast(5, "×", "tools/list of 1,000 tools, of the faster npm peer", overPeers("list-1000")),
  atLeast(0.9, "", "1,000 sources and 10,000 tools, of the throughput with one", thousand),
  atMost(20, " kB", "resident memory per idle session", perSession),
  atMost(500, " ms", "start to first answer", startUp),
  // Else it is they that were measured.
  atLeast(
    1.5,
    "×",
    "the load generator's ceiling, of the floor",
    ratio("call", "floor-stdio", "perSecond", "generator"),
  ),
  atLeast(
    1.5,
    "×",
    "the upstream's ceiling, of the floor",
    ratio("call", "floor-stdio", "perSecond", "upstream-stdio"),
  ),
];

function atLeast(bound: number, unit: string, what: string, measure: Measure): Target {
  return { says: `${what}: at least ${bound}${unit}`, measure, unit, holds: (value) => value >= bound };
}

function atMost(bound: number, unit: string, what: string, measure: Measure): Target {
  return { says: `${what}: at most ${bound}${unit}`, measure, unit, holds: (value) => value <= bound };
}

export function verdicts(results: Results): Verdict[] {
  return TARGETS.map(({ says: target, measure, holds, unit }) => {
    const found = measure(results);
    if (!found || !Number.isFinite(found.median)) return { target, found: "not measured", passed: undefined };
    return { target, found: `${spread(found)}${unit}`, passed: holds(found.median) };
  });
}

/** Of the throughput of another checkout, at each piece of work. */
const OF_BEFORE = 0.97;

export function verdictsBefore({ works }: Results): Verdict[] {
  return works.map(({ name, subjects }) => {
    const found = subjects.find((subject) => subject.name === "zaguan")?.ratio;
    const target = `${name}, of before: at least ${OF_BEFORE}`;
    return { target, found: found ? spread(found) : "not measured", passed: found && found.median >= OF_BEFORE };
  });
}

export function verdictLines(all: readonly Verdict[]): string[] {
  return all.map(({ target, found, passed }) => `${mark(passed)}  ${target}: ${found}`);
}

function mark(passed: boolean | undefined): string {
  return passed === undefined ? " –  " : passed ? "PASS" : "FAIL";
}

type Pair = readonly [number[], number[]];

function pair(one: SubjectResult | undefined, other: SubjectResult | undefined, what: Measured): Pair | undefined {
  return one && other ? [valuesOf(one, what), valuesOf(other, what)] : undefined;
}

function ratio(work: string, floor: string, what: Measured, subject = "zaguan"): Measure {
  return (results) => {
    const found = pair(subjectIn(results, work, subject), subjectIn(results, work, floor), what);
    return found && ratiosOf(...found);
  };
}

/** Milliseconds of the median beyond the floor's. */
function excess(work: string, floor: string): Measure {
  return (results) => {
    const found = pair(subjectIn(results, work, "zaguan"), subjectIn(results, work, floor), "median");
    return found && spreadOf(found[0].map((value, round) => value - (found[1][round] ?? Number.NaN)));
  };
}

/** Against whichever was faster in each round. */
function overPeers(work: string): Measure {
  return (results) => {
    const zaguan = subjectIn(results, work, "zaguan");
    const peers = NPM.flatMap((name) => subjectIn(results, work, name) ?? []);
    if (!zaguan || peers.length === 0) return undefined;
    const best = zaguan.rounds.map((_, round) => Math.max(...peers.map((peer) => peer.rounds[round]?.perSecond ?? 0)));
    return ratiosOf(valuesOf(zaguan, "perSecond"), best);
  };
}

function thousand(results: Results): Spread | undefined {
  return subjectIn(results, "call-1000", "zaguan-1000")?.ratio;
}

function perSession({ sessions }: Results): Spread | undefined {
  return sessions && spreadOf(sessions.resident.map((bytes) => bytes / 1_000));
}

function startUp({ starts }: Results): Spread | undefined {
  const found = starts.find(({ name }) => name === "zaguan");
  return found && spreadOf(found.milliseconds);
}
