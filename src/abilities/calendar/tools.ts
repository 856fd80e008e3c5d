/** The tools of the calendar: seven with the names, properties and defaults of py-xiaozhi, and two for other calendars. */
import type { Language, MessageKey } from "../../messages/catalogue.ts";
import { boolean, defineTool, integer, string } from "../../user-tools/define.ts";
import type { AnyUserTool, HandlerContext } from "../../user-tools/tool.ts";
import { described } from "../shared/tools.ts";
import { type Answer, answered, type Desk } from "./desk.ts";
import { DEFAULT_CATEGORY } from "./event.ts";
import { exportIcs, importIcs } from "./exchange.ts";
import { getCategories, getEvents, getUpcomingEvents } from "./query.ts";
import { deleteEvent, deleteEventsBatch } from "./remove.ts";
import { createEvent, DEFAULT_REMINDER, updateEvent } from "./write.ts";

type Answering = (
  failed: MessageKey,
  context: HandlerContext,
  work: (language: Language) => Promise<Answer>,
) => Promise<Answer>;

const empty = { default: "" };
const dates = { start_date: string(empty), end_date: string(empty) };
const reminder = { reminder_minutes: integer({ default: DEFAULT_REMINDER }) };

export function calendarTools(desk: Desk): readonly AnyUserTool[] {
  const answer: Answering = (failed, { language }, work) => answered(desk, language, failed, () => work(language));
  return [...writing(desk, answer), ...reading(desk, answer), ...deleting(desk, answer), ...exchanging(desk, answer)];
}

function writing(desk: Desk, answer: Answering): readonly AnyUserTool[] {
  return [
    defineTool({
      name: "self.calendar.create_event",
      ...described("calendar.create_event"),
      properties: {
        title: string(),
        start_time: string(),
        end_time: string(empty),
        description: string(empty),
        category: string({ default: DEFAULT_CATEGORY }),
        ...reminder,
      },
      handler: (args, context) =>
        answer("calendar.createFailed", context, (language) => createEvent(desk, args, language)),
    }),
    defineTool({
      name: "self.calendar.update_event",
      ...described("calendar.update_event"),
      properties: {
        event_id: string(),
        title: string(empty),
        start_time: string(empty),
        end_time: string(empty),
        description: string(empty),
        category: string(empty),
        ...reminder,
      },
      handler: (args, context) =>
        answer("calendar.updateFailed", context, (language) => updateEvent(desk, args, language)),
    }),
  ];
}

function reading(desk: Desk, answer: Answering): readonly AnyUserTool[] {
  return [
    defineTool({
      name: "self.calendar.get_events",
      ...described("calendar.get_events"),
      readOnly: true,
      properties: { date_type: string({ default: "today" }), category: string(empty), ...dates },
      handler: (args, context) =>
        answer("calendar.queryFailed", context, (language) => getEvents(desk, args, language)),
    }),
    defineTool({
      name: "self.calendar.get_upcoming_events",
      ...described("calendar.get_upcoming_events"),
      readOnly: true,
      properties: { hours: integer({ default: 24 }) },
      handler: ({ hours }, context) =>
        answer("calendar.upcomingFailed", context, (language) => getUpcomingEvents(desk, hours, language)),
    }),
    defineTool({
      name: "self.calendar.get_categories",
      ...described("calendar.get_categories"),
      readOnly: true,
      handler: (_, context) => answer("calendar.categoriesFailed", context, () => getCategories(desk)),
    }),
  ];
}

function deleting(desk: Desk, answer: Answering): readonly AnyUserTool[] {
  return [
    defineTool({
      name: "self.calendar.delete_event",
      ...described("calendar.delete_event"),
      properties: { event_id: string() },
      handler: ({ event_id }, context) =>
        answer("calendar.deleteFailed", context, (language) => deleteEvent(desk, event_id, language)),
    }),
    defineTool({
      name: "self.calendar.delete_events_batch",
      ...described("calendar.delete_events_batch"),
      properties: {
        ...dates,
        category: string(empty),
        date_type: string(empty),
        delete_all: boolean({ default: false }),
      },
      handler: (args, context) =>
        answer("calendar.batchFailed", context, (language) => deleteEventsBatch(desk, args, language)),
    }),
  ];
}

function exchanging(desk: Desk, answer: Answering): readonly AnyUserTool[] {
  return [
    defineTool({
      name: "self.calendar.export_ics",
      ...described("calendar.export_ics"),
      readOnly: true,
      handler: (_, context) => answer("calendar.exportFailed", context, (language) => exportIcs(desk, language)),
    }),
    defineTool({
      name: "self.calendar.import_ics",
      ...described("calendar.import_ics"),
      properties: { ics: string() },
      handler: ({ ics }, context) =>
        answer("calendar.importFailed", context, (language) => importIcs(desk, ics, language)),
    }),
  ];
}
