/** The tables on the terminal. */
import type { Curve } from "../curve.ts";
import type { Measured, SessionsResult, StartResult, SubjectResult, WorkResult } from "../results.ts";
import { valuesOf } from "../results.ts";
import type { Soak } from "../soak.ts";
import { inMegabytes } from "../soak.ts";
import { spreadOf } from "../statistics.ts";
import { columns, figure, milliseconds, spread } from "./format.ts";

export function workTable({ name, title, connections, base, subjects }: WorkResult): string {
  const head = ["", `of ${base}`, "per second", "median", "99 %", "cpu/answer", "wrong"];
  const rows = subjects.filter(({ missing }) => missing === undefined).map(rowOf);
  const lines = columns([head, ...rows]).map((line) => `  ${line}`);
  const plural = connections === 1 ? "connection" : "connections";
  return [`${title} (${name}, ${connections} ${plural})`, ...lines, ...subjects.flatMap(missingLine), ""].join("\n");
}

function rowOf(subject: SubjectResult): string[] {
  const middle = (what: Measured): number => spreadOf(valuesOf(subject, what)).median;
  const errors = subject.rounds.reduce((sum, round) => sum + round.errors, 0);
  return [
    subject.name,
    subject.ratio ? spread(subject.ratio) : "–",
    figure(middle("perSecond")),
    milliseconds(middle("median")),
    milliseconds(middle("p99")),
    Number.isFinite(middle("processor")) ? `${middle("processor").toFixed(0)} µs` : "–",
    String(errors),
  ];
}

function missingLine({ name, missing }: { readonly name: string; readonly missing?: string }): string[] {
  return missing === undefined ? [] : [`  ${name}: not measured: ${missing}`];
}

export function startTable(starts: readonly StartResult[]): string {
  const rows = starts
    .filter(({ missing }) => missing === undefined)
    .map((start) => [start.name, `${spread(spreadOf(start.milliseconds))} ms`]);
  return [
    "start to first answer",
    ...columns(rows).map((line) => `  ${line}`),
    ...starts.flatMap(missingLine),
    "",
  ].join("\n");
}

export function sessionsTable({ sessions, resident, heap }: SessionsResult): string {
  const kilobytes = (bytes: readonly number[]): string => `${spread(spreadOf(bytes.map((value) => value / 1_000)))} kB`;
  return `memory per idle session (${sessions} sessions)\n  resident ${kilobytes(resident)}\n  heap     ${kilobytes(heap)}\n`;
}

export function curveTable({ name, title, points, bend }: Curve): string {
  const head = ["", "of the smallest", "per second", "median", "cpu/answer", "memory"];
  const rows = points.map(({ value, ratio, perSecond, median, processor, megabytes }) => [
    value.toLocaleString("en"),
    spread(ratio),
    figure(perSecond),
    milliseconds(median),
    `${figure(processor)} µs`,
    `${figure(megabytes)} MB`,
  ]);
  const bends = bend === undefined ? "no bend" : `bends at ${bend.toLocaleString("en")}`;
  return [`${title} (${name}): ${bends}`, ...columns([head, ...rows]).map((line) => `  ${line}`), ""].join("\n");
}

export function soakTable({ minutes, answers, samples, heapGrowth, residentGrowth }: Soak): string {
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
  const [first, last] = [samples[0], samples.at(-1)];
  return [
    `${minutes} minutes of mixed load, ${answers.toLocaleString("en")} answers`,
    `  first  ${first ? inMegabytes(first) : "–"}`,
    `  last   ${last ? inMegabytes(last) : "–"}`,
    `  ${heapGrowth < 0.01 ? "PASS" : "FAIL"}  growth of what is held: under 1 %: ${percent(heapGrowth)}`,
    `  growth of what is resident: ${percent(residentGrowth)}`,
    "",
  ].join("\n");
}
