/**
 * `self.calendar.create_event` looks whether the time is free and puts the event in, as one step; in
 * `self.calendar.update_event`, what is given changes, and an empty text leaves as it is.
 */
import { randomUUID } from "node:crypto";
import { type Language, say } from "../../messages/catalogue.ts";
import { type Answer, type Desk, Refusal, Unfit } from "./desk.ts";
import { type CalendarEvent, isAllDay, keptWall, zoneOf } from "./event.ts";
import {
  categoryIn,
  instantOf,
  type KeptTimes,
  keptTimes,
  later,
  reminderIn,
  textIn,
  timeIn,
  titleIn,
  usualLength,
} from "./given.ts";
import { occurrencesIn, occurrencesOf } from "./occurrences.ts";
import { Budget } from "./series/expand.ts";
import { isoDateOf, type WrittenTime } from "./time/wall.ts";
import type { Zone } from "./time/zone.ts";
import { eventView } from "./view.ts";

interface EventArguments {
  readonly title: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly description: string;
  readonly category: string;
  readonly reminder_minutes: number;
}

const CONFLICT_STEPS = 200_000;
const MOST_CONFLICTS_NAMED = 5;

export async function createEvent(desk: Desk, args: EventArguments, language: Language): Promise<Answer> {
  const event = eventFrom(args, desk);
  await desk.book.change((events) => {
    const conflicts = conflictsWith(event, events, desk.house);
    if (conflicts.length > 0) throw new Refusal("calendar.conflict", { conflicts });
    return { events: [...events, event], result: undefined };
  });
  const message = say(language, "calendar.created");
  return { success: true, message, event_id: event.id, event: eventView(event, desk.house) };
}

function eventFrom(args: EventArguments, { house, now }: Desk): CalendarEvent {
  const title = titleIn(args.title);
  const category = categoryIn(args.category);
  const start = timeIn(args.start_time);
  const end = args.end_time.trim() === "" ? later(start, usualLength(category, title)) : timeIn(args.end_time);
  const description = textIn("description", args.description);
  const reminder = reminderIn(args.reminder_minutes);
  const [created, updated] = [now(), now()];
  const id = randomUUID();
  return { id, title, ...keptTimes(start, end, house), description, category, reminder, sequence: 0, created, updated };
}

/** The titles of some events that take place at the same time. What takes whole days, a birthday say, is in nobody's way. */
function conflictsWith(event: CalendarEvent, events: readonly CalendarEvent[], house: Zone): string[] {
  const budget = new Budget(CONFLICT_STEPS);
  const [own] = occurrencesOf(event, { from: -Infinity, to: Infinity }, house, budget);
  if (!own) return [];
  const timed = events.filter((each) => !isAllDay(each));
  const near = occurrencesIn(timed, { from: own.start, to: own.end }, house, budget);
  const found = near.filter(({ end }) => end > own.start);
  return found.slice(0, MOST_CONFLICTS_NAMED).map((each) => each.event.title);
}

interface EventChanges extends EventArguments {
  readonly event_id: string;
}

/** What comes if nobody says anything; a handler cannot tell the two apart. */
export const DEFAULT_REMINDER = 15;

type Changed = Partial<CalendarEvent>;

export async function updateEvent(desk: Desk, args: EventChanges, language: Language): Promise<Answer> {
  const fields = await desk.book.change((events) => {
    const event = events.find(({ id }) => id === args.event_id);
    if (!event) throw new Refusal("calendar.updateUnknown");
    const changed = changesTo(event, args, desk.house);
    const updated = { ...event, ...changed, sequence: event.sequence + 1, updated: desk.now() };
    return { events: events.map((each) => (each === event ? updated : each)), result: fieldsOf(changed, args) };
  });
  return { success: true, message: say(language, "calendar.updated"), updated_fields: fields };
}

function changesTo(event: CalendarEvent, args: EventChanges, house: Zone): Changed {
  const changed: Changed = {
    ...(isGiven(args.title) ? { title: titleIn(args.title) } : {}),
    ...timeChanges(event, args, house),
    ...(isGiven(args.description) ? { description: textIn("description", args.description) } : {}),
    ...(isGiven(args.category) ? { category: categoryIn(args.category) } : {}),
  };
  const reminder = reminderChange(event, args, Object.keys(changed).length === 0);
  if (Object.keys(changed).length === 0 && reminder === undefined) throw new Refusal("calendar.nothingToUpdate");
  return reminder === undefined ? changed : { ...changed, reminder };
}

/** Fifteen beside something else may be no more than the default: then the reminder stays as it was. */
function reminderChange(
  event: CalendarEvent,
  { reminder_minutes: minutes }: EventChanges,
  isAlone: boolean,
): number | undefined {
  if (minutes === event.reminder || (minutes === DEFAULT_REMINDER && !isAlone)) return undefined;
  return reminderIn(minutes);
}

function timeChanges(event: CalendarEvent, args: EventChanges, house: Zone): KeptTimes | Record<string, never> {
  if (!isGiven(args.start_time) && !isGiven(args.end_time)) return {};
  if (event.series) throw new Unfit("calendar.seriesTimes");
  const start = isGiven(args.start_time) ? timeIn(args.start_time) : undefined;
  const end = isGiven(args.end_time) ? timeIn(args.end_time) : undefined;
  if (isAllDay(event) && (start?.dateOnly ?? true) && (end?.dateOnly ?? true)) return wholeDays(event, start, end);
  // Without a zone here, what was kept with one must lose it.
  return { zone: undefined, ...timed(event, start, end, house) };
}

function timed(
  event: CalendarEvent,
  start: WrittenTime | undefined,
  end: WrittenTime | undefined,
  house: Zone,
): KeptTimes {
  const from = start ?? written(event, event.start, house);
  if (end) return keptTimes(from, end, house);
  const length = isAllDay(event) ? usualLength(event.category, event.title) : lengthOf(event, house);
  return keptTimes(from, later(from, length), house);
}

/** The end is the first day that does not belong to it, as it is shown. */
function wholeDays(event: CalendarEvent, start: WrittenTime | undefined, end: WrittenTime | undefined): KeptTimes {
  const from = start?.wall ?? keptWall(event.start);
  const to = end?.wall ?? from + keptWall(event.end) - keptWall(event.start);
  if (to <= from) throw new Unfit("calendar.endsBefore");
  return { start: isoDateOf(from), end: isoDateOf(to) };
}

/** What is kept, in the form in which callers write it. */
function written(event: CalendarEvent, kept: string, house: Zone): WrittenTime {
  const wall = keptWall(kept);
  if (event.zone === undefined || isAllDay(event)) return { wall, dateOnly: false };
  const instant = zoneOf(event, house).instantOf(wall);
  return { wall: instant, offsetMs: 0, dateOnly: false };
}

function lengthOf(event: CalendarEvent, house: Zone): number {
  return instantOf(written(event, event.end, house), house) - instantOf(written(event, event.start, house), house);
}

const FIELDS = ["title", "start_time", "end_time", "description", "category", "reminder_minutes"] as const;

/** By the names of the arguments. A start alone moves the end too. */
function fieldsOf(changed: Changed, args: EventChanges): string[] {
  const names: Readonly<Record<(typeof FIELDS)[number], boolean>> = {
    title: changed.title !== undefined,
    start_time: isGiven(args.start_time),
    end_time: changed.end !== undefined,
    description: changed.description !== undefined,
    category: changed.category !== undefined,
    reminder_minutes: changed.reminder !== undefined,
  };
  return FIELDS.filter((field) => names[field]);
}

function isGiven(text: string): boolean {
  return text.trim() !== "";
}
