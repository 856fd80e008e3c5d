/** Countdowns as callers see them: py-xiaozhi's members, and what became of the last ones. */
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import { localIso, type Zone } from "../calendar/time/zone.ts";
import type { KeptRun, KeptTimer } from "./book.ts";
import { STARTER_GONE } from "./keeper.ts";

export type View = Readonly<Record<string, unknown>>;

const SAID: Readonly<Record<KeptRun["status"], MessageKey>> = {
  done: "timer.done",
  failed: "timer.failed",
  refused: "timer.refused",
  unknown: "timer.outcomeUnknown",
  missed: "timer.missed",
};

export function timerView(timer: KeptTimer, now: number, zone: Zone): View {
  const elapsed = Math.max(0, (now - timer.startedAt) / 1_000);
  return {
    timer_id: timer.id,
    command: timer.command,
    description: timer.description,
    delay: timer.delay,
    remaining_seconds: Math.max(0, Math.min(timer.delay, (timer.dueAt - now) / 1_000)),
    start_time: localIso(timer.startedAt, zone),
    estimated_execution_time: localIso(timer.dueAt, zone),
    progress: Math.min(1, elapsed / timer.delay),
    ...(timer.runningSince === undefined ? {} : { status: "running" }),
  };
}

export function runView(run: KeptRun, zone: Zone, language: Language): View {
  const name = run.description || say(language, "timer.name", { id: run.id });
  const { runningSince: ranAt, result } = run;
  const error = run.error && errorText(run.error, language);
  return {
    timer_id: run.id,
    command: run.command,
    description: run.description,
    status: run.status,
    message: say(language, SAID[run.status], { name }),
    due_time: localIso(run.dueAt, zone),
    ...(ranAt === undefined ? {} : { run_time: localIso(ranAt, zone), late_seconds: lateness(run.dueAt, ranAt) }),
    ended_time: localIso(run.endedAt, zone),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

function lateness(dueAt: number, ranAt: number): number {
  return Math.max(0, Math.round((ranAt - dueAt) / 1_000));
}

/** What nobody expected has no words of its own: its log has them. */
function errorText({ code, params, text }: NonNullable<KeptRun["error"]>, language: Language): string {
  if (text !== undefined) return text;
  if (code === STARTER_GONE) return say(language, "timer.starterGone");
  return code === "INTERNAL"
    ? say(language, "timer.internalError")
    : say(language, `error.${code}` as MessageKey, params);
}
