/** What every tool of the calendar works with, and how it answers: py-xiaozhi tells failures as results, `success: false`. */
import { type Language, type MessageKey, type MessageParams, say } from "../../messages/catalogue.ts";
import type { CalendarBook } from "./event.ts";
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

/**
 * Why the calendar does not do what it was asked: a reason that stands behind "the event could not be created: ". It is
 * said in the caller's language, which those who find it do not know.
 */
export class Unfit extends Error {
  readonly #key: MessageKey;
  readonly #params: MessageParams;

  constructor(key: MessageKey, params: MessageParams = {}) {
    super(key);
    this.#key = key;
    this.#params = params;
  }

  in(language: Language): string {
    return say(language, this.#key, this.#params);
  }
}

/** An answer in itself, with what else is to be told. */
export class Refusal extends Unfit {
  readonly more: Readonly<Record<string, unknown>>;

  constructor(key: MessageKey, more: Readonly<Record<string, unknown>> = {}) {
    super(key);
    this.more = more;
  }
}
