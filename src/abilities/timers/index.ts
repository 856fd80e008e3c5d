/** Countdowns that call a tool of the hub when their time is over, as py-xiaozhi's; these survive a restart. */
import type { Ability } from "../ability.ts";
import { machineZone, zoneNamed } from "../calendar/time/zone.ts";
import { TimerBook } from "./book.ts";
import { TimerKeeper } from "./keeper.ts";
import { timerTools } from "./tools.ts";

interface TimersSettings {
  /** In which times are told: "Europe/Madrid". @default the machine's own zone */
  readonly timeZone?: string | undefined;
}

/** `now` is the time of day in milliseconds since 1970: the clock of an ability only grows, and stops with the process. */
export function makeTimers(now: () => number = Date.now): Ability<TimersSettings> {
  return {
    name: "timers",
    async open({ timeZone }, context) {
      const book = new TimerBook(context.documents);
      const keeper = new TimerKeeper({ ...context, book, now });
      await keeper.open();
      const zone = (timeZone === undefined ? undefined : zoneNamed(timeZone)) ?? machineZone();
      return { tools: timerTools({ ...context, book, keeper, zone, now }), close: () => keeper.close() };
    },
  };
}

export const timers: Ability<TimersSettings> = makeTimers();
