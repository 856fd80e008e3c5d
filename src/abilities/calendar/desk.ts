/** What every tool of the calendar works with, and how it answers: py-xiaozhi tells failures as results, `success: false`. */
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import type { CalendarBook } from "./book.ts";
import { Refusal, Unfit } from "./refusal.ts";
import type { Zone } from "./time/zone.ts";

export interface Desk {
  readonly book: CalendarBook;
  /** Where the house is. */
  readonly house: Zone;
  /** The time of day, in milliseconds since 1970. */
  now(): number;
  log(line: string): void;
}

export type Answer = Readonly<Record<string, unknown>>;

/** `failed` has a place for the reason. What nobody expected is for the log alone. */
export async function answered(
  desk: Desk,
  language: Language,
  failed: MessageKey,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Refusal) return { success: false, message: cause.in(language), ...cause.more };
    const reason = cause instanceof Unfit ? cause.in(language) : unexpected(desk, language, cause);
    return { success: false, message: say(language, failed, { reason }) };
  }
}

function unexpected(desk: Desk, language: Language, cause: unknown): string {
  desk.log(`The calendar failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  return say(language, "calendar.internal");
}
