/** The stretches of time that callers name: today, tomorrow, this week, this month; weeks begin on Monday. */
import { DAY_MS, dayNumber, partsOf, startOfDay, type Wall, weekdayOf } from "./wall.ts";

/** From the first, up to the second and not with it. */
export interface WallRange {
  readonly from: Wall;
  readonly to: Wall;
}

type RangeName = "today" | "tomorrow" | "week" | "month";

/** py-xiaozhi takes the English words alone; what a model hears in the other languages is understood as well. */
const WORDS: ReadonlyMap<string, RangeName> = new Map([
  ...words("today", "today", "hoy", "aujourd'hui", "aujourd’hui", "今天", "今日"),
  ...words("tomorrow", "tomorrow", "mañana", "demain", "明天", "明日"),
  ...words(
    "week",
    "week",
    "this week",
    "semana",
    "esta semana",
    "semaine",
    "cette semaine",
    "本周",
    "这周",
    "这个星期",
  ),
  ...words("month", "month", "this month", "mes", "este mes", "mois", "ce mois", "本月", "这个月"),
]);

/** Undefined where it is none of them. */
export function namedRange(name: string, now: Wall): WallRange | undefined {
  const known = WORDS.get(name.trim().toLowerCase());
  return known && rangeOf(known, startOfDay(now));
}

function rangeOf(name: RangeName, today: Wall): WallRange {
  switch (name) {
    case "today":
      return days(today, 1);
    case "tomorrow":
      return days(today + DAY_MS, 1);
    case "week":
      return days(today - weekdayOf(today) * DAY_MS, 7);
    case "month":
      return monthOf(today);
  }
}

function monthOf(today: Wall): WallRange {
  const { year, month } = partsOf(today);
  const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1);
  return { from: dayNumber(year, month, 1) * DAY_MS, to: next * DAY_MS };
}

function days(from: Wall, count: number): WallRange {
  return { from, to: from + count * DAY_MS };
}

function words(range: RangeName, ...all: readonly string[]): [string, RangeName][] {
  return all.map((word) => [word, range]);
}
