/** Holds a run of the conformance suite through the hub against one without it: nothing that works directly may be lost. */
import { OWN_WORDS, proved, type Scenario } from "../conformance/judge.ts";

export interface Run {
  readonly scenarios: readonly Scenario[];
  readonly seconds: number;
}

/** Twice as long is allowed, and below this much more nothing is said: runs of two seconds differ by luck. */
const SLACK_SECONDS = 5;

/** What a server does and the hub need not, so that the suite finds nothing to check, and why. */
const NOT_NEEDED: Readonly<Record<string, string>> = {
  "server-sse-polling": "the hub comes back to the server by itself, and has no reason to send its own client away",
};

/** As the suite counts: whatever ran without a failure. */
export function passes({ scenarios }: Run): number {
  return scenarios.filter((scenario) => failuresOf(scenario).length === 0).length;
}

/** `expected` is how many scenarios the server itself passes: with fewer the comparison would prove less than it seems to. */
export function compare(direct: Run, through: Run, expected: number): string[] {
  return [...brokenServer(direct, expected), ...lost(direct, through), ...tooSlow(direct, through)];
}

function brokenServer(direct: Run, expected: number): string[] {
  if (passes(direct) >= expected) return [];
  const failed = direct.scenarios.flatMap(failuresOf);
  return [`directly ${passes(direct)} scenarios pass, not ${expected}`, ...failed.map((text) => `directly: ${text}`)];
}

function lost(direct: Run, through: Run): string[] {
  const found = new Map(through.scenarios.map((scenario) => [scenario.name, scenario]));
  return direct.scenarios
    .filter((scenario) => failuresOf(scenario).length === 0)
    .flatMap((scenario) => lossesOf(scenario, found.get(scenario.name)))
    .map((text) => `through the hub: ${text}`);
}

function lossesOf(direct: Scenario, through: Scenario = { ...direct, ran: false, checks: [] }): readonly string[] {
  const { name } = direct;
  const failures = failuresOf(through);
  if (failures.length > 0) return failures;
  if (proved(direct) && !proved(through) && !NOT_NEEDED[name]) return [`${name}: nothing was checked`];
  return answerOf(direct) === answerOf(through) ? [] : [`${name}: the answer is not the server's`];
}

function failuresOf({ name, ran, checks }: Scenario): readonly string[] {
  if (!ran) return [`${name}: did not run`];
  return checks
    .filter(({ status }) => status === "FAILURE")
    .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage ?? "failed"}`);
}

/** Where the suite is content with any answer, it has to be the one that the server gives. */
function answerOf({ name, checks }: Scenario): string | undefined {
  if (!OWN_WORDS[name]) return undefined;
  const { result } = (checks.find(({ id }) => id === name)?.details ?? {}) as { result?: { content?: unknown } };
  return JSON.stringify(result?.content);
}

function tooSlow(direct: Run, through: Run): string[] {
  const allowed = Math.max(2 * direct.seconds, direct.seconds + SLACK_SECONDS);
  if (through.seconds <= allowed) return [];
  return [`${through.seconds.toFixed(1)} s through the hub, ${direct.seconds.toFixed(1)} s directly`];
}
