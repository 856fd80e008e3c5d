/**
 * The calendar and other calendars: `self.calendar.import_ics` takes the events of a stranger's file, all of them or
 * none.
 */
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";
import { type Answer, type Desk, Unfit } from "./desk.ts";
import { MOST_EVENTS } from "./event.ts";
import { type ReadEvent, type Reading, readEvent } from "./ics/read-event.ts";
import { type Component, calendarsIn, partsIn } from "./ics/syntax.ts";
import { zoneFinder } from "./ics/times.ts";
import { calendarText } from "./ics/write.ts";
import { type Merged, merge } from "./merge.ts";
import { Budget } from "./series/expand.ts";

const MOST_CHARACTERS = 2_000_000;
/** For finding out when series end. */
const IMPORT_STEPS = 1_000_000;
/** More are counted, not named. */
const MOST_NAMED = 50;

interface Skipped {
  readonly title: string;
  readonly reason: MessageKey;
}

interface Found {
  readonly events: readonly ReadEvent[];
  readonly skipped: readonly Skipped[];
  readonly warnings: ReadonlySet<string>;
}

export async function importIcs(desk: Desk, text: string, language: Language): Promise<Answer> {
  const found = read(desk, text, language);
  const merged = await desk.book.change((events) => {
    const result = merge(events, found.events, desk.house);
    return { events: result.events, result };
  });
  return answerOf(found, merged, language);
}

function read(desk: Desk, text: string, language: Language): Found {
  refuseLarge(text.length, MOST_CHARACTERS, say(language, "calendar.icsCharacters"));
  const calendars = calendarsIn(text);
  const count = calendars.flatMap((calendar) => partsIn(calendar, "VEVENT")).length;
  refuseLarge(count, MOST_EVENTS, say(language, "calendar.icsEvents"));
  const warnings = new Set<string>();
  const warn = (key: MessageKey, params: MessageParams) => {
    if (warnings.size < MOST_NAMED) warnings.add(say(language, key, params));
  };
  const budget = new Budget(IMPORT_STEPS);
  const common = { house: desk.house, now: desk.now(), language, budget, warn };
  const each = calendars.flatMap((calendar) => eventsOf(calendar, { ...common, find: zoneFinder(calendar) }));
  const others = calendars.flatMap(({ parts }) => parts.filter(({ name }) => !["VEVENT", "VTIMEZONE"].includes(name)));
  if (others.length > 0) warn("calendar.warnOthers", { count: others.length });
  return { events: each.filter(isRead), skipped: each.filter((one): one is Skipped => !isRead(one)), warnings };
}

function eventsOf(calendar: Component, reading: Reading): (ReadEvent | Skipped)[] {
  return partsIn(calendar, "VEVENT").map((component) => {
    const event = readEvent(component, reading);
    if (typeof event !== "string") return event;
    const summary = component.lines.find(({ name }) => name === "SUMMARY")?.value.slice(0, 60) ?? "";
    return { title: summary, reason: event };
  });
}

function isRead(one: ReadEvent | Skipped): one is ReadEvent {
  return "event" in one;
}

function answerOf(found: Found, merged: Merged, language: Language): Answer {
  const skipped = [...found.skipped, ...merged.skipped];
  const { created, updated, removed } = merged;
  const message = say(language, "calendar.imported", { created, updated, removed, skipped: skipped.length });
  const named = skipped.slice(0, MOST_NAMED).map(({ title, reason }) => ({ title, reason: say(language, reason) }));
  return {
    success: true,
    message,
    created,
    updated,
    cancelled: removed,
    skipped: skipped.length,
    total_events: merged.events.length,
    ...(named.length > 0 ? { skipped_events: named } : {}),
    ...(found.warnings.size > 0 ? { warnings: [...found.warnings] } : {}),
  };
}

function refuseLarge(size: number, most: number, what: string): void {
  if (size > most) throw new Unfit("calendar.icsTooLarge", { most, what });
}

/** `self.calendar.export_ics`: everything, for any other calendar. */
export async function exportIcs(desk: Desk, language: Language): Promise<Answer> {
  const events = await desk.book.read();
  const message = say(language, "calendar.exported", { count: events.length });
  return { success: true, message, total_events: events.length, ics: calendarText(events, desk.house, desk.now()) };
}
