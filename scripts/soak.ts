/**
 * A long soak: clients that come and go at every door, boxes, and a fault every minute; what is held at the end is held
 * against what was held after ten minutes. Writes docs/soak.md and docs/soak.svg. Usage: npm run soak [-- --minutes 120]
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { growthOf, type Held, steadyGrowthOf } from "../test/support/soak/held.ts";
import { type AtRest, BACK, NEAR, type SoakReport, soak } from "../test/support/soak/soak.ts";
import { curves } from "./soak/curves.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    clients: { type: "string", default: "1000" },
    boxes: { type: "string", default: "200" },
    rate: { type: "string", default: "300" },
  },
});
const MINUTES = Number(values.minutes);
/** What may differ: a twentieth, or of few so many. */
const SHARE = 0.05;
const FIRST_MINUTES = Math.min(10, MINUTES / 2);

const report = await soak({
  seconds: MINUTES * 60,
  firstPauseSeconds: FIRST_MINUTES * 60,
  faultEverySeconds: 60,
  clients: Number(values.clients),
  boxes: Number(values.boxes),
  callsPerSecond: Number(values.rate),
  progress: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
});
const rows = [...heldRows(report), ...backRows(report), growthRow(report), answersRow(report)];
writeFileSync("docs/soak.md", written(report));
writeFileSync("docs/soak.svg", curves(report));
for (const [isMet, what, seen] of rows) console.log(`  ${isMet ? "PASS" : "FAIL"}  ${what}: ${seen}`);
for (const line of report.unexplained.slice(0, 20)) console.log(`        ${line}`);
process.exitCode = rows.every(([isMet]) => isMet) ? 0 : 1;

type Row = readonly [isMet: boolean, what: string, seen: string];

function heldRows({ first, last }: SoakReport): Row[] {
  const gauges = ["sources", "inFlight", "waiting", "unreadBytes", "cacheBytes", "liveHeapMb"] as const;
  return [...BACK, ...gauges].map((what) => {
    const [early, late] = [first[what], last[what]];
    const isMet = late - early <= Math.max(SHARE * early, what === "liveHeapMb" ? 0 : NEAR);
    const code = what === "liveHeapMb" ? ` (and compiled code ${first.codeMb} → ${last.codeMb})` : "";
    return [isMet, `${what} after ${FIRST_MINUTES} min and at the end`, `${early} → ${late}${code}`];
  });
}

function backRows({ before, after }: SoakReport): Row[] {
  const far = BACK.filter((what) => after[what] - before[what] > NEAR);
  const told = (rest: AtRest): string => BACK.map((what) => rest[what]).join(", ");
  return [
    [far.length === 0, `before all came and after all left (${BACK.join(", ")})`, `${told(before)} → ${told(after)}`],
  ];
}

/**
 * Of the second half, in ten minutes. What goes on for the whole half is judged; a straight line is shown beside it, which rises as well
 * where the C library or V8 took one block more in the middle and memory stayed flat before and after.
 */
function growthRow({ samples, options: { seconds } }: SoakReport): Row {
  const [grown, line] = [steadyGrowthOf, growthOf].map((growth) => {
    const inHalf = growth(samples, seconds / 2, ({ residentMb }: Held) => residentMb);
    return inHalf / (seconds / 2 / 600);
  }) as [number, number];
  const resident = samples.at(-1)?.residentMb ?? 0;
  const seen = `${grown.toFixed(2)} MB of ${resident} (by a straight line ${line.toFixed(2)})`;
  return [grown < Math.max(1, resident / 100), "resident memory, growth in ten minutes of the second half", seen];
}

function answersRow({ calls, unexplained, explained }: SoakReport): Row {
  const seen = `${unexplained.length} of ${calls} (${explained} more at sources that a fault had just met)`;
  return [unexplained.length === 0, "calls that failed without a fault", seen];
}

function written({ options, calls, doors, faults, came }: SoakReport): string {
  const { clients, boxes, callsPerSecond } = options;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const listed = (all: Readonly<Record<string, number>>): string =>
    Object.entries(all)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  return `# A long soak

Written by \`npm run soak -- --minutes ${MINUTES}\` on ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.version}, ${cpus().length} cores.

One hub, ${clients} clients at a time at every door, ${boxes} boxes, up to ${callsPerSecond} calls a second, a fault every minute:
${calls} calls in all by ${came} clients, each of which stayed for some sixty calls and then left, one in five of them without a word.
At minute ${FIRST_MINUTES} and at the end nobody called for a moment, and what the hub held was counted.

![Resident memory, heap and sessions over time](soak.svg)

| what | seen | |
|---|---|---|
${rows.map(([isMet, what, seen]) => `| ${what} | ${seen} | ${isMet ? "yes" : "**no**"} |`).join("\n")}

Calls by door: ${listed(doors)}.

Faults: ${listed(faults)}.
`;
}
