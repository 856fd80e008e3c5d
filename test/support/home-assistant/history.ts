/** What was: every change as it happens, and the two forms in which it is asked for. */
import type { Bus } from "./bus.ts";
import { newContext } from "./context.ts";
import { seconds, written } from "./moments.ts";
import type { Attributes, State } from "./state.ts";
import { domainOf } from "./states.ts";

/** A test that changes one entity for hours should not fill the memory. */
const MOST_ROWS = 10_000;
/** Of these, a change of attributes alone is worth telling. */
const SIGNIFICANT = ["climate", "device_tracker", "humidifier", "thermostat", "water_heater"];
/** What an entity can do is not written down; what it does is. */
const UNRECORDED = new Set([
  "attribution",
  "restored",
  "supported_features",
  "editable",
  "supported_color_modes",
  "effect_list",
  "min_mireds",
  "max_mireds",
  "min_color_temp_kelvin",
  "max_color_temp_kelvin",
  "id",
  "last_triggered",
  "mode",
  "current",
  "max",
]);

export interface HistoryQuery {
  readonly entityIds: readonly string[];
  /** Microseconds. */
  readonly start: number;
  readonly end: number | undefined;
  readonly withStartState: boolean;
  readonly significantOnly: boolean;
  readonly minimal: boolean;
  readonly noAttributes: boolean;
}

interface Row {
  readonly value: string;
  readonly attributes: Attributes;
  readonly changed: number;
  readonly updated: number;
}

export class History {
  readonly #rows = new Map<string, Row[]>();
  /** Contexts are not asked of the database: every row tells the same one. */
  readonly #context = newContext();

  constructor(bus: Bus) {
    bus.onStateChange(({ after }) => after && this.#keep(after));
  }

  /** For REST: one list per entity, in the order asked for; who has nothing to tell is left out. */
  full(query: HistoryQuery): object[][] {
    const lists = query.entityIds.map((id) =>
      this.#find(id, query).map((row, index) => {
        if (query.minimal && index > 0) return { state: row.value, last_changed: written(row.updated) };
        return this.#fullRow(id, row, query);
      }),
    );
    return lists.filter((list) => list.length > 0);
  }

  /** For the socket: an object keyed by entity, with short names. */
  compressed(query: HistoryQuery): object {
    const lists = query.entityIds.map((id) => {
      const rows = this.#find(id, query).map((row, index) => {
        if (query.minimal && index > 0) return { s: row.value, lu: seconds(row.updated) };
        const lc = !query.significantOnly && row.changed !== row.updated && { lc: seconds(row.changed) };
        return { s: row.value, ...shortAttributes(row, query), lu: seconds(row.updated), ...lc };
      });
      return [id, rows] as const;
    });
    return Object.fromEntries(lists.filter(([, rows]) => rows.length > 0));
  }

  #keep({ entityId, value, attributes, changed, updated }: State): void {
    const rows = this.#rows.get(entityId) ?? [];
    this.#rows.set(entityId, rows);
    rows.push({ value, attributes, changed, updated });
    if (rows.length > MOST_ROWS) rows.shift();
  }

  #find(entityId: string, query: HistoryQuery): Row[] {
    const { start, end = Number.POSITIVE_INFINITY } = query;
    const all = this.#rows.get(entityId) ?? [];
    const significant = (row: Row) =>
      !query.significantOnly || row.changed === row.updated || SIGNIFICANT.includes(domainOf(entityId));
    const within = all.filter((row) => row.updated > start && row.updated < end && significant(row));
    const initial = query.withStartState ? all.findLast((row) => row.updated < start) : undefined;
    const found = initial ? [{ ...initial, changed: start, updated: start }, ...within] : within;
    return query.minimal ? found.filter((row, index) => row.value !== found[index - 1]?.value) : found;
  }

  #fullRow(entity_id: string, row: Row, query: HistoryQuery): object {
    return {
      entity_id,
      state: row.value,
      attributes: query.noAttributes ? {} : recorded(row.attributes),
      last_changed: written(query.significantOnly ? row.updated : row.changed),
      last_updated: written(row.updated),
      context: this.#context,
    };
  }
}

/** With `minimal_response` a client that wants no attributes gets not even an empty list of them. */
function shortAttributes(row: Row, { noAttributes, minimal }: HistoryQuery): object {
  if (!noAttributes) return { a: recorded(row.attributes) };
  return minimal ? {} : { a: {} };
}

function recorded(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !UNRECORDED.has(name)));
}
