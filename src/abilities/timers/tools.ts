/** The three tools of the countdowns, by the names and in the words of py-xiaozhi. */
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import { defineTool } from "../../own/define.ts";
import { integer, string } from "../../own/properties.ts";
import type { AnyOwnTool, HandlerContext } from "../../own/tool.ts";
import { localIso, type Zone } from "../calendar/time/zone.ts";
import { described } from "../shared/descriptions.ts";
import { MOST_TIMERS, type TimerBook } from "./book.ts";
import { isWrong, parseCommand } from "./command.ts";
import type { TimerKeeper } from "./keeper.ts";
import { runView, timerView, type View } from "./view.ts";

export interface TimerDesk {
  readonly book: TimerBook;
  readonly keeper: TimerKeeper;
  readonly zone: Zone;
  now(): number;
  mayCall(tool: string, principal: HandlerContext["principal"]): Promise<boolean>;
  log(line: string): void;
}

const MOST_DESCRIPTION_CHARACTERS = 1_000;

export function timerTools(desk: TimerDesk): readonly AnyOwnTool[] {
  return [
    defineTool({
      name: "timer.start_countdown",
      ...described("timer.start_countdown"),
      properties: {
        command: string(),
        delay: integer({ default: 5, min: 1, max: 3_600 }),
        description: string({ default: "" }),
      },
      handler: (args, context) =>
        answered(desk, context, "timer.startFailed", (language) => start(desk, args, language, context.principal)),
    }),
    defineTool({
      name: "timer.cancel_countdown",
      ...described("timer.cancel_countdown"),
      properties: { timer_id: integer() },
      handler: ({ timer_id }, context) =>
        answered(desk, context, "timer.cancelFailed", (language) => cancel(desk, timer_id, language)),
    }),
    defineTool({
      name: "timer.get_active_timers",
      ...described("timer.get_active_timers"),
      readOnly: true,
      handler: (_, context) => answered(desk, context, "timer.listFailed", (language) => list(desk, language)),
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
  language: Language,
  principal: HandlerContext["principal"],
): Promise<View> {
  const parsed = parseCommand(command);
  if (isWrong(parsed)) return refusal(say(language, parsed.key, parsed.params));
  // Later it is called as the owner calls: who may not do it now shall not have it done then.
  if (!(await desk.mayCall(parsed.tool, principal))) {
    return refusal(say(language, "error.UNKNOWN_TOOL", { tool: parsed.tool }));
  }
  if (description.length > MOST_DESCRIPTION_CHARACTERS) {
    return refusal(say(language, "timer.tooLong", { name: "description", most: MOST_DESCRIPTION_CHARACTERS }));
  }
  const startedAt = desk.now();
  const timer = await desk.book.add({ command, description, delay, startedAt, dueAt: startedAt + delay * 1_000 });
  if (!timer) return refusal(say(language, "timer.tooMany", { most: MOST_TIMERS }));
  desk.keeper.wait(timer);
  return {
    success: true,
    message: say(language, "timer.started", { id: timer.id, delay }),
    ...{ timer_id: timer.id, delay, command, description },
    start_time: localIso(timer.startedAt, desk.zone),
    estimated_execution_time: localIso(timer.dueAt, desk.zone),
  };
}

async function cancel(desk: TimerDesk, id: number, language: Language): Promise<View> {
  const timer = await desk.book.cancel(id);
  if (timer?.runningSince !== undefined) return { ...refusal(say(language, "timer.running", { id })), timer_id: id };
  if (!timer) return { ...refusal(say(language, "timer.unknown", { id })), timer_id: id };
  desk.keeper.forget(id);
  const message = say(language, "timer.cancelled", { id });
  return { success: true, message, timer_id: id, cancelled_at: localIso(desk.now(), desk.zone) };
}

async function list(desk: TimerDesk, language: Language): Promise<View> {
  const { timers, recent } = await desk.book.read();
  const now = desk.now();
  return {
    success: true,
    total_active_timers: timers.length,
    timers: timers.map((timer) => timerView(timer, now, desk.zone)),
    current_time: localIso(now, desk.zone),
    recent: recent.map((run) => runView(run, desk.zone, language)),
  };
}

function refusal(message: string): View {
  return { success: false, message };
}

/** py-xiaozhi tells failures as results. What nobody expected is for the log alone. */
async function answered(
  desk: TimerDesk,
  { language }: HandlerContext,
  failed: MessageKey,
  work: (language: Language) => Promise<View>,
): Promise<View> {
  try {
    return await work(language);
  } catch (cause) {
    desk.log(`The countdowns failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    return refusal(say(language, failed, { reason: say(language, "timer.internal") }));
  }
}
