/**
 * The three tools of the countdowns, by the names and in the words of py-xiaozhi, and countdowns as callers see them:
 * its members, and what became of the last ones.
 */
import { toZaguanError } from "../../errors.ts";
import { type Language, type MessageKey, say, sayError } from "../../messages/catalogue.ts";
import { defineTool, integer, string } from "../../user-tools/define.ts";
import type { AnyUserTool, HandlerContext } from "../../user-tools/tool.ts";
import type { AbilityContext } from "../ability.ts";
import { localIso, type Zone } from "../calendar/time/zone.ts";
import { described } from "../shared/tools.ts";
import { type KeptRun, type KeptTimer, MOST_OF_ONE, MOST_TIMERS, type TimerBook } from "./book.ts";
import { isWrong, parseCommand } from "./command.ts";
import { STARTER_GONE, type TimerKeeper } from "./keeper.ts";

interface TimerDesk extends Pick<AbilityContext, "principalOf" | "check" | "log"> {
  readonly book: TimerBook;
  readonly keeper: TimerKeeper;
  readonly zone: Zone;
  now(): number;
}

const MOST_DESCRIPTION_CHARACTERS = 1_000;

export function timerTools(desk: TimerDesk): readonly AnyUserTool[] {
  return [
    defineTool({
      name: "timer.start_countdown",
      ...described("timer.start_countdown"),
      properties: {
        command: string(),
        delay: integer({ default: 5, min: 1, max: 3_600 }),
        description: string({ default: "" }),
      },
      handler: (args, context) => answered(desk, context, "timer.startFailed", () => start(desk, args, context)),
    }),
    defineTool({
      name: "timer.cancel_countdown",
      ...described("timer.cancel_countdown"),
      properties: { timer_id: integer() },
      handler: ({ timer_id }, context) =>
        answered(desk, context, "timer.cancelFailed", () => cancel(desk, timer_id, context)),
    }),
    defineTool({
      name: "timer.get_active_timers",
      ...described("timer.get_active_timers"),
      readOnly: true,
      handler: (_, context) => answered(desk, context, "timer.listFailed", () => list(desk, context)),
    }),
  ];
}

interface StartArguments {
  readonly command: string;
  readonly delay: number;
  readonly description: string;
}

async function start(
  desk: TimerDesk,
  { command, delay, description }: StartArguments,
  { language, principal }: HandlerContext,
): Promise<View> {
  if (!principal) return refusal(say(language, "error.FORBIDDEN"));
  const parsed = parseCommand(command);
  if (isWrong(parsed)) return refusal(say(language, parsed.key, parsed.params));
  // It is judged again when its time comes, in the same way; whoever may not do it now is told at once.
  const starter = { id: principal.id, credential: principal.credential, account: principal.account };
  const known = await desk.principalOf(starter);
  if (!known) return refusal(say(language, "timer.starterGone"));
  // The rights of an agent do not come along from another node.
  await desk.check({ ...parsed, principal: known });
  if (description.length > MOST_DESCRIPTION_CHARACTERS) {
    return refusal(say(language, "timer.tooLong", { name: "description", most: MOST_DESCRIPTION_CHARACTERS }));
  }
  const startedAt = desk.now();
  const dueAt = startedAt + delay * 1_000;
  const timer = await desk.book.add({ starter, command, description, delay, startedAt, dueAt });
  if (timer === "share") return refusal(say(language, "timer.tooManyOfOne", { most: MOST_OF_ONE }));
  if (!timer) return refusal(say(language, "timer.tooMany", { most: MOST_TIMERS }));
  desk.keeper.wait(timer);
  return {
    success: true,
    message: say(language, "timer.started", { id: timer.id, delay }),
    timer_id: timer.id,
    delay,
    command,
    description,
    start_time: localIso(timer.startedAt, desk.zone),
    estimated_execution_time: localIso(timer.dueAt, desk.zone),
  };
}

async function cancel(desk: TimerDesk, id: number, { language, principal }: HandlerContext): Promise<View> {
  const timer = await desk.book.cancel(id, visibleTo(principal));
  if (timer?.runningSince !== undefined) return { ...refusal(say(language, "timer.running", { id })), timer_id: id };
  if (!timer) return { ...refusal(say(language, "timer.unknown", { id })), timer_id: id };
  desk.keeper.forget(id);
  const message = say(language, "timer.cancelled", { id });
  return { success: true, message, timer_id: id, cancelled_at: localIso(desk.now(), desk.zone) };
}

async function list(desk: TimerDesk, { language, principal }: HandlerContext): Promise<View> {
  const kept = await desk.book.read();
  const timers = kept.timers.filter(visibleTo(principal));
  const recent = kept.recent.filter(visibleTo(principal));
  const now = desk.now();
  return {
    success: true,
    total_active_timers: timers.length,
    timers: timers.map((timer) => timerView(timer, now, desk.zone)),
    current_time: localIso(now, desk.zone),
    recent: recent.map((run) => runView(run, desk.zone, language)),
  };
}

/** For everybody but its starter and administrators a countdown does not exist. */
function visibleTo(principal: HandlerContext["principal"]): (timer: KeptTimer) => boolean {
  return ({ starter }) => principal !== undefined && (principal.admin === true || principal.id === starter?.id);
}

function refusal(message: string): View {
  return { success: false, message };
}

/** py-xiaozhi tells failures as results. The details of what nobody expected are for the log alone. */
async function answered(
  desk: TimerDesk,
  { language }: HandlerContext,
  failed: MessageKey,
  work: () => Promise<View>,
): Promise<View> {
  try {
    return await work();
  } catch (cause) {
    const error = toZaguanError(cause);
    if (error.code !== "INTERNAL") return refusal(say(language, failed, { reason: sayError(language, error) }));
    desk.log(`The countdowns failed: ${error.message}`);
    return refusal(say(language, failed, { reason: say(language, "timer.internal") }));
  }
}

type View = Readonly<Record<string, unknown>>;

const SAID: Readonly<Record<KeptRun["status"], MessageKey>> = {
  done: "timer.done",
  failed: "timer.failed",
  refused: "timer.refused",
  unknown: "timer.outcomeUnknown",
  missed: "timer.missed",
};

function timerView(timer: KeptTimer, now: number, zone: Zone): View {
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

function runView(run: KeptRun, zone: Zone, language: Language): View {
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
