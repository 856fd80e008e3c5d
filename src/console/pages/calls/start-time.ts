/** When a call began: the time of day, and the date where that was another day. A quiet house remembers for long. */
import { clockTime, locale } from "../../kit/format.ts";
import { language } from "../../kit/words.ts";

const made = new Map<string, Intl.DateTimeFormat>();

export function startTime(utc: string, now: Date = new Date()): string {
  return new Date(utc).toDateString() === now.toDateString() ? clockTime(utc) : withDate(utc);
}

function withDate(utc: string): string {
  const spoken = language.get();
  const known = made.get(spoken);
  const format =
    known ??
    new Intl.DateTimeFormat(locale(), {
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  if (!known) made.set(spoken, format);
  return format.format(new Date(utc));
}
