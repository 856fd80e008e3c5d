/**
 * One row in a process of its own, with a hard limit of time. It passes if its tests pass, if it handed in a figure of its
 * own, and if no promise was rejected unheard.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Figure } from "../../test/support/scorecard.ts";

export type Length = "short" | "document" | "full";

export interface Job {
  readonly row: number;
  /** Paths of test files. */
  readonly files: readonly string[];
  readonly tests?: string | undefined;
  readonly length: Length;
  readonly limitMs: number;
}

export interface Outcome {
  readonly passed: boolean;
  /** Why it has not passed. */
  readonly reason?: string;
  readonly figures: readonly Pick<Figure, "what" | "seen">[];
  readonly seconds: number;
  /** All that was printed. */
  readonly said: string;
}

const UNHEARD = /unhandled ?(?:promise ?)?rejection/i;

/** What runs, to be ended with us. */
const running = new Set<ChildProcess>();

export async function runRow(job: Job): Promise<Outcome> {
  const missing = job.files.filter((file) => !existsSync(file));
  if (missing.length > 0) return { passed: false, reason: "no test", figures: [], seconds: 0, said: "" };
  const folder = mkdtempSync(join(tmpdir(), "zaguan-scorecard-"));
  try {
    const file = join(folder, "figures.jsonl");
    const startedAt = performance.now();
    const ending = await runTests(job, file);
    const figures = figuresIn(file, job.row);
    const reason = reasonOf(ending, figures.length, job);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    return { passed: reason === undefined, ...(reason && { reason }), figures, seconds, said: ending.said };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By force, with everything below them. */
export function endRunning(): void {
  for (const child of running) endGroup(child);
}

interface Ending {
  readonly code: number | null;
  readonly isLate: boolean;
  readonly said: string;
}

async function runTests({ files, tests, length, limitMs }: Job, figures: string): Promise<Ending> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const named = tests === undefined ? [] : [`--test-name-pattern=${tests}`];
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", ...named, ...files];
  const child = spawn(process.execPath, args, {
    env: { ...env, ZAGUAN_SCORECARD: length, ZAGUAN_FIGURES: figures },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, limitMs);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(limit);
  running.delete(child);
  return { code, isLate, said };
}

/** It leads a group of its own, in which the hubs of its tests are too. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function reasonOf({ code, isLate, said }: Ending, figures: number, { limitMs }: Job): string | undefined {
  if (isLate) return `not done after ${Math.round(limitMs / 1_000)} s`;
  if (code !== 0) return failedTests(said);
  if (UNHEARD.test(said)) return "a promise was rejected unheard";
  return figures === 0 ? "no figure" : undefined;
}

/** The first test that failed. */
function failedTests(said: string): string {
  const first = /✖ (.+?)(?: \([\d.]+ms\))?$/m.exec(said)?.[1];
  return first ?? "its tests failed";
}

function figuresIn(file: string, row: number): Outcome["figures"] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as Figure);
  return all.filter((figure) => figure.row === row).map(({ what, seen }) => ({ what, seen }));
}
