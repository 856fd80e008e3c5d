/** One VEVENT as an event of ours. What has no place in it is kept line for line, for whoever reads the export. */
import { createHash } from "node:crypto";
import { type Language, say } from "../../../messages/catalogue.ts";
import { type CalendarEvent, DEFAULT_CATEGORY } from "../event.ts";
import { MOST_CHARACTERS, MOST_REMINDER_MINUTES } from "../given.ts";
import type { Budget } from "../series/expand.ts";
import { DAY_MS, isoDateOf, isoOf, MINUTE_MS, type Wall } from "../time/wall.ts";
import type { Zone } from "../time/zone.ts";
import { seriesIn } from "./read-series.ts";
import { type Component, escaped, lineIn, linesIn, listOf, partsIn, textOf } from "./syntax.ts";
import { type IcsTime, parseDuration, timeIn, wallIn, type ZoneFinder } from "./times.ts";

export interface Reading {
  readonly find: ZoneFinder;
  readonly house: Zone;
  readonly now: number;
  readonly language: Language;
  readonly budget: Budget;
  warn(
    key: "calendar.warnZone" | "calendar.warnRule" | "calendar.warnCut",
    params: Readonly<Record<string, string>>,
  ): void;
}

export interface ReadEvent {
  readonly event: CalendarEvent;
  readonly isCancelled: boolean;
  /** It stands for one day of the series with that UID. */
  readonly instead?: { readonly of: string; readonly at: IcsTime } | undefined;
}

type Unreadable = "calendar.skipNoStart" | "calendar.skipUid";

const HANDLED = [
  "UID",
  "DTSTAMP",
  "CREATED",
  "LAST-MODIFIED",
  "SEQUENCE",
  "RECURRENCE-ID",
  "DTSTART",
  "DTEND",
  "DURATION",
  "SUMMARY",
  "DESCRIPTION",
  "LOCATION",
  "CATEGORIES",
  "RRULE",
  "RDATE",
  "EXDATE",
];
/** Lines that mean nothing here, all together. */
const MOST_KEPT_CHARACTERS = 4_000;
const MOST_CHANGES = 1_000_000_000;

export function readEvent(component: Component, reading: Reading): ReadEvent | Unreadable {
  const start = timeIn(lineIn(component, "DTSTART"), reading.find);
  if (!start) return "calendar.skipNoStart";
  const title = titleOf(component, reading.language);
  const uid = lineIn(component, "UID")?.value.trim() || uidOf(component);
  const instance = timeIn(lineIn(component, "RECURRENCE-ID"), reading.find);
  if (uid.length > MOST_CHARACTERS.event_id) return "calendar.skipUid";
  if (start.unknownZone !== undefined)
    reading.warn("calendar.warnZone", { title, zone: start.unknownZone.slice(0, 100) });
  const zone = start.isDate || start.zone === reading.house.name ? undefined : start.zone;
  const event = { ...timesOf(component, { ...start, zone }, reading), ...textsOf(component, title, reading) };
  const series = instance ? undefined : seriesIn(component, { ...event, title }, reading);
  return {
    event: { id: uid, ...event, ...(series ? { series } : {}), ...countsOf(component, reading) },
    isCancelled: lineIn(component, "STATUS")?.value.trim().toUpperCase() === "CANCELLED",
    ...(instance ? { instead: { of: uid, at: instance } } : {}),
  };
}

type Times = Pick<CalendarEvent, "start" | "end" | "zone" | "reminder">;

function timesOf(component: Component, start: IcsTime, reading: Reading): Times {
  const end = endOf(component, start, reading);
  const write = start.isDate ? isoDateOf : isoOf;
  const times = { start: write(start.wall), end: write(end), reminder: reminderOf(component, start, end, reading) };
  return start.zone === undefined ? times : { ...times, zone: start.zone };
}

/** A day lasts a day, anything else no time at all, where nothing is said (RFC 5545 §3.6.1). */
function endOf(component: Component, start: IcsTime, { find, house }: Reading): Wall {
  const least = start.isDate ? start.wall + DAY_MS : start.wall;
  const end = timeIn(lineIn(component, "DTEND"), find);
  if (end) return Math.max(least, wallIn(end, start.zone, house));
  const duration = parseDuration(lineIn(component, "DURATION")?.value ?? "");
  if (duration === undefined) return least;
  const length = start.isDate ? Math.floor(duration / DAY_MS) * DAY_MS : duration;
  return Math.max(least, start.wall + length);
}

/** The first alarm of which the time can be told. */
function reminderOf(component: Component, start: IcsTime, end: Wall, reading: Reading): number | null {
  for (const alarm of partsIn(component, "VALARM")) {
    const trigger = lineIn(alarm, "TRIGGER");
    if (!trigger) continue;
    const at = timeIn(trigger, reading.find);
    const from = trigger.params.get("RELATED")?.toUpperCase() === "END" ? end : start.wall;
    const wall = at ? wallIn(at, start.zone, reading.house) : from + (parseDuration(trigger.value) ?? Number.NaN);
    const minutes = Math.round((start.wall - wall) / MINUTE_MS);
    if (Math.abs(minutes) <= MOST_REMINDER_MINUTES) return minutes + 0;
  }
  return null;
}

type Texts = Pick<CalendarEvent, "title" | "description" | "category" | "location" | "lines">;

function textsOf(component: Component, title: string, reading: Reading): Texts {
  const categories = linesIn(component, "CATEGORIES").flatMap(({ value }) =>
    listOf(value).map((each) => textOf(each).trim()),
  );
  const [category = DEFAULT_CATEGORY, ...others] = categories.filter((each) => each !== "");
  const cut = (name: keyof typeof MOST_CHARACTERS, text: string) =>
    shortened(text, MOST_CHARACTERS[name], title, reading);
  const location = textOf(lineIn(component, "LOCATION")?.value ?? "");
  const lines = keptLines(component, others, title, reading);
  return {
    title: cut("title", title),
    description: cut("description", textOf(lineIn(component, "DESCRIPTION")?.value ?? "")),
    category: cut("category", category),
    ...(location === "" ? {} : { location: cut("location", location) }),
    ...(lines.length === 0 ? {} : { lines }),
  };
}

function titleOf(component: Component, language: Language): string {
  const title = textOf(lineIn(component, "SUMMARY")?.value ?? "").trim();
  return title === "" ? say(language, "calendar.untitled") : title;
}

function keptLines(component: Component, categories: readonly string[], title: string, reading: Reading): string[] {
  const others = component.lines.filter(({ name }) => !HANDLED.includes(name)).map(({ raw }) => raw);
  const rules = linesIn(component, "RRULE")
    .slice(1)
    .map(({ raw }) => raw);
  const also = categories.length === 0 ? [] : [`CATEGORIES:${categories.map(escaped).join(",")}`];
  const all = [...also, ...rules, ...others];
  const kept = thatFit(all, MOST_KEPT_CHARACTERS);
  if (kept.length < all.length) reading.warn("calendar.warnCut", { title: title.slice(0, 60) });
  return kept;
}

/** As many as there is room for; one that is too long does not keep out those behind it. */
function thatFit(lines: readonly string[], room: number): string[] {
  let left = room;
  return lines.filter((line) => {
    if (line.length > left) return false;
    left -= line.length;
    return true;
  });
}

function shortened(text: string, most: number, title: string, reading: Reading): string {
  if (text.length <= most) return text;
  reading.warn("calendar.warnCut", { title: title.slice(0, 60) });
  // Not between the two halves of a character.
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

type Counts = Pick<CalendarEvent, "sequence" | "created" | "updated">;

function countsOf(component: Component, { find, now }: Reading): Counts {
  const sequence = Number.parseInt(lineIn(component, "SEQUENCE")?.value ?? "", 10);
  const isCount = Number.isSafeInteger(sequence) && sequence >= 0;
  const past = (name: string) => {
    const time = timeIn(lineIn(component, name), find);
    return time?.zone === "UTC" && time.wall <= now ? time.wall : now;
  };
  const [created, updated] = [past("CREATED"), past("LAST-MODIFIED")];
  return { sequence: isCount ? Math.min(sequence, MOST_CHANGES) : 0, created, updated };
}

/** The same for the same event, so that a file without UIDs can be read twice. */
function uidOf(component: Component): string {
  const names = ["DTSTART", "RRULE", "SUMMARY"];
  const lines = names.map((name) => lineIn(component, name)?.value ?? "");
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 32);
}
