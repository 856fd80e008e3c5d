/**
 * Where the events are kept: one document, changed as one, so that two who write at once (two processes, even) never lose
 * each other's event nor put two in one hour. Ten thousand events are some three megabytes, read in twenty milliseconds;
 * a calendar that is split into months could not be searched for a conflict and written as one.
 */
import type { DocumentTable } from "../../store/store.ts";
import { type CalendarEvent, weightOf } from "./event.ts";
import { Unfit } from "./refusal.ts";

const COLLECTION = "ability:calendar";
const KEY = "events";

export const MOST_EVENTS = 10_000;
/** Characters, about. */
const MOST_WEIGHT = 8_000_000;

export interface Change<Result> {
  readonly events: readonly CalendarEvent[];
  readonly result: Result;
}

export class CalendarBook {
  readonly #documents: DocumentTable;

  constructor(documents: DocumentTable) {
    this.#documents = documents;
  }

  async read(): Promise<readonly CalendarEvent[]> {
    return eventsIn(await this.#documents.get(COLLECTION, KEY));
  }

  /** Nothing is written if `change` throws. */
  async change<Result>(change: (events: readonly CalendarEvent[]) => Change<Result>): Promise<Result> {
    let result: { readonly value: Result } | undefined;
    await this.#documents.update(COLLECTION, KEY, (kept) => {
      const before = eventsIn(kept);
      const { events, result: value } = change(before);
      refuseOverflow(before, events);
      result = { value };
      return { events };
    });
    if (!result) throw new Error("the change was never made");
    return result.value;
  }
}

function eventsIn(kept: unknown): readonly CalendarEvent[] {
  const events = (kept as { readonly events?: unknown } | undefined)?.events;
  return Array.isArray(events) ? (events as CalendarEvent[]) : [];
}

/** One that is too full already may still shrink. */
function refuseOverflow(before: readonly CalendarEvent[], after: readonly CalendarEvent[]): void {
  if (after.length > Math.max(MOST_EVENTS, before.length)) throw new Unfit("calendar.full", { most: MOST_EVENTS });
  const weight = weightOfAll(after);
  if (weight > MOST_WEIGHT && weight > weightOfAll(before)) throw new Unfit("calendar.tooHeavy");
}

function weightOfAll(events: readonly CalendarEvent[]): number {
  return events.reduce((sum, event) => sum + weightOf(event), 0);
}
