/** Reads what the conformance suite leaves behind: its list of scenarios, and a checks.json for each that it ran. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import type { Check, Scenario } from "./judge.ts";

/** What is judged: the server's side or the client's. */
export type Leg = "client" | "server";

interface Requirements extends Readonly<Record<Leg, readonly string[]>> {
  /** Run and reported by the suite, without weight. */
  readonly not_scored?: readonly { readonly scenario: string; readonly leg: Leg }[];
}

/** `server-NAME-2026-01-02T03-04-05-678Z`, or without the first word for clients. */
const FOLDER = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** The scenarios of a leg by name, in the suite's order; true for those that it scores. */
export function requiredScenarios(requirements: string, leg: Leg): Map<string, boolean> {
  const { [leg]: scored, not_scored: others = [] } = parse(requirements) as Requirements;
  const unscored = others.filter((other) => other.leg === leg).map(({ scenario }) => [scenario, false] as const);
  return new Map([...scored.map((name) => [name, true] as const), ...unscored]);
}

/** What each wanted scenario left in the folder, then the others that ran. */
export function resultsIn(folder: string, wanted: ReadonlyMap<string, boolean>): Scenario[] {
  const found = new Map(globSync("*/checks.json", { cwd: folder }).map((file) => [nameOf(file), join(folder, file)]));
  const names = new Set([...wanted.keys(), ...[...found.keys()].sort()]);
  return [...names].map((name) => {
    const file = found.get(name);
    const checks = file === undefined ? [] : (JSON.parse(readFileSync(file, "utf8")) as Check[]);
    return { name, scored: wanted.get(name) ?? false, ran: file !== undefined, checks };
  });
}

function nameOf(file: string): string {
  const folder = basename(dirname(file));
  return FOLDER.exec(folder)?.[1] ?? folder;
}
