/** `self.calendar.export_ics`: everything, for any other calendar. */
import { type Language, say } from "../../messages/catalogue.ts";
import type { Answer, Desk } from "./desk.ts";
import { calendarText } from "./ics/write-calendar.ts";

export async function exportIcs(desk: Desk, language: Language): Promise<Answer> {
  const events = await desk.book.read();
  const message = say(language, "calendar.exported", { count: events.length });
  return { success: true, message, total_events: events.length, ics: calendarText(events, desk.house, desk.now()) };
}
