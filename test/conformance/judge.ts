/**
 * Decides whether a run of the conformance suite is what we expect of it. Stricter than the suite: a scenario in which
 * nothing was checked has not passed, nor has one whose tool was not even there.
 */

/** As the suite writes it, with the parts that are read here. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Scenario {
  readonly name: string;
  /** Whether the suite counts it for conformance. */
  readonly scored: boolean;
  readonly ran: boolean;
  readonly checks: readonly Check[];
}

/** What a run of the suite left behind. */
export interface Outcome {
  readonly scenarios: readonly Scenario[];
  /** In its own words, for when there is nothing else. */
  readonly said: string;
  /** What a reader must know beside the table. */
  readonly notes?: string;
}

/** Why a scenario fails, by its name. */
export type ExpectedFailures = Readonly<Record<string, string>>;

export interface Verdict {
  readonly complaints: readonly string[];
  readonly summary: string;
}

/** That messages have the right form says nothing of what a scenario is about. */
const FORM_ONLY = "wire-schema-valid";

/** The suite takes an error about an unknown tool for the answer of these, so their own words are asked for. */
export const OWN_WORDS: Readonly<Record<string, string>> = {
  "tools-call-simple-text": "This is a simple text response for testing.",
  "tools-call-error": "This tool intentionally returns an error for testing",
};

/** Complains of failures that are not expected and of expectations that are stale. */
export function judge(scenarios: readonly Scenario[], expected: ExpectedFailures): Verdict {
  const known = new Set(scenarios.map(({ name }) => name));
  const complaints = [
    ...scenarios.filter(({ name }) => expected[name] === undefined).flatMap(complaintsOf),
    ...scenarios.filter((one) => expected[one.name] !== undefined && passed(one)).map(staleness),
    ...Object.keys(expected)
      .filter((name) => !known.has(name))
      .map((name) => `${name}: expected to fail, but there is no such scenario`),
  ];
  return { complaints, summary: summaryOf(scenarios, expected) };
}

/** One line per scenario: its name, how many checks passed, failed and warned, and what the failed ones said. */
export function table(scenarios: readonly Scenario[]): string {
  const width = Math.max(0, ...scenarios.map(({ name }) => name.length));
  const rows = scenarios.map((scenario) => {
    const counts = (["SUCCESS", "FAILURE", "WARNING"] as const).map((status) => String(count(scenario, status)));
    const cells = counts.map((value) => value.padStart(4)).join("");
    return `${passed(scenario) ? "✓" : "✗"} ${scenario.name.padEnd(width)}${cells}${scenario.scored ? "" : "  not scored"}`;
  });
  return [`  ${"scenario".padEnd(width)}  ok bad warn`, ...rows].join("\n");
}

function complaintsOf(scenario: Scenario): string[] {
  const { name, ran, checks } = scenario;
  if (passed(scenario)) return [];
  if (!ran) return [`${name}: did not run`];
  const failed = checks.filter(({ status }) => status === "FAILURE");
  if (failed.length > 0) return failed.map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage ?? "failed"}`);
  return [`${name}: ${speaksOwnWords(scenario) ? "nothing was checked" : "the answer is not the fixture's"}`];
}

function staleness({ name }: Scenario): string {
  return `${name}: expected to fail, but it passes: take it out of expected-failures.json`;
}

function summaryOf(scenarios: readonly Scenario[], expected: ExpectedFailures): string {
  const scored = scenarios.filter((scenario) => scenario.scored);
  const checks = scenarios.flatMap((scenario) => scenario.checks);
  const tally = (status: Check["status"]): number => checks.filter((check) => check.status === status).length;
  return [
    `${scored.filter(passed).length}/${scored.length} scored scenarios pass`,
    `${tally("SUCCESS")} checks passed, ${tally("FAILURE")} failed, ${tally("WARNING")} warned`,
    `${Object.keys(expected).length} failures expected`,
  ].join("; ");
}

function passed(scenario: Scenario): boolean {
  return proved(scenario) && count(scenario, "FAILURE") === 0 && speaksOwnWords(scenario);
}

/** Whether anything but the form of messages was checked and found right. */
export function proved({ checks }: Pick<Scenario, "checks">): boolean {
  return checks.some(({ id, status }) => status === "SUCCESS" && id !== FORM_ONLY);
}

function speaksOwnWords({ name, checks }: Scenario): boolean {
  const words = OWN_WORDS[name];
  return words === undefined || checks.some(({ details }) => JSON.stringify(details ?? {}).includes(words));
}

function count({ checks }: Scenario, status: Check["status"]): number {
  return checks.filter((check) => check.status === status).length;
}
