/** The calendar of the house, as py-xiaozhi's, on the hub's own documents; other calendars are read and written as iCalendar. */
import type { Ability } from "../ability.ts";
import { CalendarBook } from "./event.ts";
import { machineZone, type Zone, zoneNamed } from "./time/zone.ts";
import { calendarTools } from "./tools.ts";

interface CalendarSettings {
  /** Where the house is: "Europe/Madrid". @default the machine's own zone */
  readonly timeZone?: string | undefined;
}

/** `now` is the time of day in milliseconds since 1970: the clock of an ability only grows, and knows no dates. */
export function makeCalendar(now: () => number = Date.now): Ability<CalendarSettings> {
  return {
    name: "calendar",
    async open(settings, context) {
      const log = (line: string) => context.log(line);
      const house = houseZone(settings, log);
      return {
        tools: calendarTools({ book: new CalendarBook(context.documents), house, now, log }),
        close: async () => {},
      };
    },
  };
}

export const calendar: Ability<CalendarSettings> = makeCalendar();

function houseZone({ timeZone }: CalendarSettings, log: (line: string) => void): Zone {
  const zone = timeZone === undefined ? machineZone() : zoneNamed(timeZone);
  if (zone) return zone;
  log(`The time zone '${timeZone}' is unknown; the calendar uses the machine's, ${machineZone().name}`);
  return machineZone();
}
