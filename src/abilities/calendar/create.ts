/** `self.calendar.create_event`: looks whether the time is free and puts the event in, as one step. */
import { randomUUID } from "node:crypto";
import { type Language, say } from "../../messages/catalogue.ts";
import type { Answer, Desk } from "./desk.ts";
import { type CalendarEvent, isAllDay } from "./event.ts";
import { categoryIn, keptTimes, later, reminderIn, textIn, timeIn, titleIn, usualLength } from "./given.ts";
import { occurrencesIn, occurrencesOf } from "./occurrences.ts";
import { Refusal } from "./refusal.ts";
import { Budget } from "./series/budget.ts";
import type { Zone } from "./time/zone.ts";
import { eventView } from "./view.ts";

interface NewEventArguments {
  readonly title: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly description: string;
  readonly category: string;
  readonly reminder_minutes: number;
}

const CONFLICT_STEPS = 200_000;
const MOST_CONFLICTS_NAMED = 5;

export async function createEvent(desk: Desk, args: NewEventArguments, language: Language): Promise<Answer> {
  const event = eventFrom(args, desk);
  await desk.book.change((events) => {
    const conflicts = conflictsWith(event, events, desk.house);
    if (conflicts.length > 0) throw new Refusal("calendar.conflict", { conflicts });
    return { events: [...events, event], result: undefined };
  });
  const message = say(language, "calendar.created");
  return { success: true, message, event_id: event.id, event: eventView(event, desk.house) };
}

function eventFrom(args: NewEventArguments, { house, now }: Desk): CalendarEvent {
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
