/**
 * The suite as a server: it starts client-wrapper.ts, which reaches it through a hub. One scenario at a time, since
 * those that are left out cannot be named to the suite.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Check, Outcome, Scenario } from "./judge.ts";
import { resultsIn } from "./results.ts";
import { runSuite, type Selection, wantedScenarios } from "./suite.ts";

const WRAPPER = fileURLToPath(new URL("./client-wrapper.ts", import.meta.url));
const COMMAND = `"${process.execPath}" "${WRAPPER}"`;

/** Whole groups by the beginning of their names, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "auth/": "the hub reaches its servers with the headers that its configuration gives it; it has no OAuth client",
};

export async function runThroughHub(selection: Selection): Promise<Outcome> {
  const wanted = [...wantedScenarios(selection, "client")];
  const scenarios: Scenario[] = [];
  let said = "";
  for (const one of wanted.filter(([name]) => !isLeftOut(name))) {
    const outcome = await runOne(selection, one);
    scenarios.push(outcome.scenario);
    said += outcome.said;
  }
  return {
    scenarios,
    said,
    notes: Object.keys(LEFT_OUT)
      .map((group) => noteOn(group, wanted))
      .join(""),
  };
}

async function runOne({ revision, folder }: Selection, one: readonly [string, boolean]) {
  const [name] = one;
  const own = join(folder, name);
  const which = ["--scenario", name, "--spec-version", revision];
  const said = await runSuite(["client", "--command", COMMAND, ...which, "-o", own]);
  const [scenario] = resultsIn(own, new Map([one]));
  if (!scenario) throw new Error(`no result of ${name}`);
  return { scenario: { ...scenario, checks: [...scenario.checks, wrapperCheck(own)] }, said };
}

/** The suite judges what it saw; whether our side was content with what came back is for us to say. */
function wrapperCheck(folder: string): Check {
  if (textOf(folder, "stdout.txt").endsWith("done\n")) return { id: "wrapper", status: "INFO" };
  return { id: "wrapper", status: "FAILURE", errorMessage: textOf(folder, "stderr.txt").split("\n")[0] || "no answer" };
}

function textOf(folder: string, file: string): string {
  return globSync(`*/${file}`, { cwd: folder })
    .map((found) => readFileSync(join(folder, found), "utf8"))
    .join("");
}

function isLeftOut(name: string): boolean {
  return Object.keys(LEFT_OUT).some((group) => name.startsWith(group));
}

function noteOn(group: string, wanted: readonly (readonly [string, boolean])[]): string {
  const left = wanted.filter(([name]) => name.startsWith(group));
  if (left.length === 0) return "";
  const scored = left.filter(([, isScored]) => isScored).length;
  return `Left out: ${left.length}, ${scored} of them scored, since ${LEFT_OUT[group]}:\n${left.map(([name]) => name).join(", ")}\n`;
}
