/** The tools that take events away: one by its id, or many by time and category. */
import { type Language, say } from "../../messages/catalogue.ts";
import { type Answer, type Desk, Refusal, Unfit } from "./desk.ts";
import { type CalendarEvent, type Change, keptWall, zoneOf } from "./event.ts";
import { keptForm, occurrencesOf, type Range } from "./occurrences.ts";
import { type EventQuery, givenRange, ofCategory, rangeNamed } from "./query.ts";
import { Budget } from "./series/expand.ts";
import type { Zone } from "./time/zone.ts";

interface BatchArguments extends EventQuery {
  readonly delete_all: boolean;
}

/** Days of one series that one call may leave out. */
const MOST_LEFT_OUT = 1_000;
const BATCH_STEPS = 200_000;

export async function deleteEvent(desk: Desk, id: string, language: Language): Promise<Answer> {
  await desk.book.change((events) => {
    if (!events.some((event) => event.id === id)) throw new Refusal("calendar.deleteUnknown");
    return { events: events.filter((event) => event.id !== id && event.instead?.of !== id), result: undefined };
  });
  return { success: true, message: say(language, "calendar.deleted") };
}

export async function deleteEventsBatch(desk: Desk, args: BatchArguments, language: Language): Promise<Answer> {
  if (args.delete_all) return await deleteAll(desk, language);
  const range = rangeIn(desk, args);
  const titles = await desk.book.change((events) => {
    const wanted = new Set(ofCategory(events, args.category));
    return range ? withoutRange(events, wanted, range, desk.house) : withoutAll(events, wanted);
  });
  const count = titles.length;
  if (count === 0) return { success: true, deleted_count: 0, message: say(language, "calendar.noneMatch") };
  const message = say(language, "calendar.deletedSome", { count });
  return { success: true, deleted_count: count, deleted_titles: titles, message };
}

async function deleteAll(desk: Desk, language: Language): Promise<Answer> {
  const count = await desk.book.change((events) => ({ events: [], result: events.length }));
  const message = count === 0 ? say(language, "calendar.noneAtAll") : say(language, "calendar.deletedAll", { count });
  return { success: true, deleted_count: count, message };
}

/**
 * Undefined for all times, where a category alone was given. py-xiaozhi takes no condition at all, or a word that it does
 * not know, for "everything": that is never what was meant.
 */
function rangeIn(desk: Desk, args: BatchArguments): Range | undefined {
  const given = givenRange(desk, args);
  const named = rangeNamed(desk, args.date_type);
  const isBounded = given !== undefined && given.from > -Infinity && given.to < Infinity;
  const range = isBounded ? given : (named ?? given);
  const isUnclear = args.date_type.trim() !== "" || args.category.trim() === "";
  if (!range && isUnclear) throw new Unfit("calendar.noCriterion");
  return range;
}

function withoutAll(events: readonly CalendarEvent[], wanted: ReadonlySet<CalendarEvent>): Change<string[]> {
  return { events: events.filter((event) => !wanted.has(event)), result: [...wanted].map(({ title }) => title) };
}

/** What begins in that time goes; of a series, the days that do. */
function withoutRange(
  events: readonly CalendarEvent[],
  wanted: ReadonlySet<CalendarEvent>,
  range: Range,
  house: Zone,
): Change<string[]> {
  const budget = new Budget(BATCH_STEPS);
  const titles: string[] = [];
  const left = events.flatMap((event) => {
    if (!wanted.has(event)) return event;
    const starts = startsIn(event, range, house, budget);
    titles.push(...starts.map(() => event.title));
    if (starts.length === 0) return event;
    return event.series && !liesWithin(event, range, house) ? leavingOut(event, starts) : [];
  });
  return { events: left, result: titles };
}

function startsIn(event: CalendarEvent, range: Range, house: Zone, budget: Budget): string[] {
  const isEndless = event.series && event.series.last === undefined && range.to === Infinity;
  if (isEndless && !event.series?.unexpanded) throw new Unfit("calendar.endlessSeries", { title: event.title });
  const found = occurrencesOf(event, range, house, budget).filter(({ start }) => start >= range.from);
  if (event.series && (found.length > MOST_LEFT_OUT || budget.isSpent)) {
    throw new Unfit("calendar.endlessSeries", { title: event.title });
  }
  return found.map(({ wall }) => keptForm(event, wall));
}

/** The whole series, from its first to its last. */
function liesWithin(event: CalendarEvent, range: Range, house: Zone): boolean {
  const { series } = event;
  if (series?.last === undefined && series?.rule !== undefined) return false;
  const zone = zoneOf(event, house);
  const starts = [event.start, ...(series?.last ? [series.last] : []), ...(series?.also ?? [])];
  return starts.map((start) => zone.instantOf(keptWall(start))).every((at) => at >= range.from && at < range.to);
}

function leavingOut(event: CalendarEvent, starts: readonly string[]): CalendarEvent {
  const without = [...(event.series?.without ?? []), ...starts];
  return { ...event, series: { ...event.series, without }, sequence: event.sequence + 1 };
}
