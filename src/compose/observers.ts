/** All who listen to what happens in the hub: the log, the counters, the journal of calls, and whoever watches by a door. */
import type { HubEvent } from "../core/events.ts";
import { CallJournal } from "../observe/journal.ts";
import { type Log, logEvents } from "../observe/log.ts";
import { Statistics } from "../observe/statistics.ts";

export class Observers {
  readonly statistics: Statistics = new Statistics();
  readonly journal: CallJournal = new CallJournal();
  readonly #logEvent: (event: HubEvent) => void;
  readonly #listeners = new Set<(event: HubEvent) => void>();

  constructor(log: Log) {
    this.#logEvent = logEvents(log);
  }

  take(event: HubEvent): void {
    this.#logEvent(event);
    this.statistics.take(event);
    this.journal.take(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** The returned function ends it. */
  listen(listener: (event: HubEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
