/**
 * The tools that only look: events of a time (by its dates, or by a name such as "today"), those to come, and the
 * categories.
 */
import { type Language, say } from "../../messages/catalogue.ts";
import type { Answer, Desk } from "./desk.ts";
import type { CalendarEvent } from "./event.ts";
import { instantOf, timeIn } from "./given.ts";
import { type Occurrence, occurrencesIn, type Range } from "./occurrences.ts";
import { Budget } from "./series/expand.ts";
import {
  DAY_MS,
  dayNumber,
  HOUR_MS,
  MINUTE_MS,
  partsOf,
  startOfDay,
  type Wall,
  type WallRange,
  weekdayOf,
} from "./time/wall.ts";
import { displayTime, eventView } from "./view.ts";

export interface EventQuery {
  readonly date_type: string;
  readonly category: string;
  readonly start_date: string;
  readonly end_date: string;
}

const CATEGORIES = ["默认", "工作", "个人", "会议", "提醒"];
/** More are counted, not shown. */
const MOST_SHOWN = 1_000;
/** How far what is repeated without end is followed where no end was given. */
const FAR_MS = 366 * DAY_MS;
const QUERY_STEPS = 100_000;
/** Dates end in the year 9999. */
const MOST_HOURS = 80_000_000;

export async function getEvents(desk: Desk, query: EventQuery, language: Language): Promise<Answer> {
  const range = rangeOf(desk, query);
  const budget = new Budget(QUERY_STEPS);
  const events = ofCategory(await desk.book.read(), query.category);
  const found = takingPlace(desk, events, range, budget);
  const shown = found.slice(0, MOST_SHOWN).map((each) => ({
    ...eventView(each.event, desk.house, each),
    display_time: displayTime(each, desk.house, language),
  }));
  return { success: true, date_type: typeNamed(desk, query), ...counted(shown, found.length, budget) };
}

export async function getUpcomingEvents(desk: Desk, hours: number, language: Language): Promise<Answer> {
  const now = desk.now();
  const range = { from: now, to: now + Math.max(0, Math.min(hours, MOST_HOURS)) * HOUR_MS + 1 };
  const budget = new Budget(QUERY_STEPS);
  const found = takingPlace(desk, await desk.book.read(), range, budget).filter(({ start }) => start > now);
  const shown = found.slice(0, MOST_SHOWN).map((each) => ({
    ...eventView(each.event, desk.house, each),
    time_until: timeUntil(each.start - now, language),
    time_until_minutes: Math.floor((each.start - now) / MINUTE_MS),
  }));
  return { success: true, query_hours: hours, ...counted(shown, found.length, budget) };
}

export async function getCategories(desk: Desk): Promise<Answer> {
  const used = (await desk.book.read()).map(({ category }) => category);
  return { success: true, categories: [...new Set([...CATEGORIES, ...used])].sort() };
}

/** Absent where the query names no time at all. */
export function givenRange(desk: Desk, query: EventQuery): Range | undefined {
  const from = query.start_date.trim() === "" ? undefined : instantOf(timeIn(query.start_date), desk.house);
  const to = query.end_date.trim() === "" ? undefined : endOf(desk, query.end_date);
  return from === undefined && to === undefined ? undefined : { from: from ?? -Infinity, to: to ?? Infinity };
}

export function rangeNamed(desk: Desk, name: string): Range | undefined {
  const range = namedRange(name, desk.house.wallAt(desk.now()));
  return range && { from: desk.house.instantOf(range.from), to: desk.house.instantOf(range.to) };
}

export function ofCategory(events: readonly CalendarEvent[], category: string): readonly CalendarEvent[] {
  const wanted = category.trim();
  return wanted === "" ? events : events.filter((event) => event.category === wanted);
}

/** Dates that are given win: "today" may be no more than the default. Any other word is a range of one's own. */
function rangeOf(desk: Desk, query: EventQuery): Range {
  return givenRange(desk, query) ?? rangeNamed(desk, query.date_type) ?? { from: -Infinity, to: Infinity };
}

function typeNamed(desk: Desk, query: EventQuery): string {
  return givenRange(desk, query) && rangeNamed(desk, query.date_type) ? "custom" : query.date_type;
}

/** A day alone counts in full, and an instant still counts itself. */
function endOf(desk: Desk, text: string): number {
  const time = timeIn(text);
  return instantOf(time.dateOnly ? { ...time, wall: time.wall + DAY_MS } : time, desk.house) + (time.dateOnly ? 0 : 1);
}

function takingPlace(desk: Desk, events: readonly CalendarEvent[], range: Range, budget: Budget): Occurrence[] {
  const once = events.filter(({ series }) => !series);
  const repeated = events.filter(({ series }) => series);
  const far = Math.max(range.from, desk.now()) + FAR_MS;
  const near = { from: range.from, to: range.to === Infinity ? far : range.to };
  return [...occurrencesIn(once, range, desk.house, budget), ...occurrencesIn(repeated, near, desk.house, budget)].sort(
    (a, b) => a.start - b.start,
  );
}

function counted(shown: readonly Answer[], all: number, budget: Budget): Answer {
  return {
    total_events: shown.length,
    events: shown,
    ...(all > shown.length ? { more_events: all - shown.length } : {}),
    ...(budget.isSpent ? { incomplete: true } : {}),
  };
}

function timeUntil(ms: number, language: Language): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  return hours > 0
    ? say(language, "calendar.inHours", { hours, minutes })
    : say(language, "calendar.inMinutes", { minutes });
}

/** The stretches of time that callers name, in wall time; weeks begin on Monday. */
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
  return known && daysNamed(known, startOfDay(now));
}

function daysNamed(name: RangeName, today: Wall): WallRange {
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
