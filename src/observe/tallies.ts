/** Counters for every call: all their memory is made when a name is first seen, none when it is seen again. */

/** By a name that others choose and a column that we do. Names are bounded; those beyond go by one name together. */
export class NamedTally {
  readonly #columns: readonly string[];
  readonly #mostNames: number;
  readonly #beyond: string;
  readonly #rows = new Map<string, Float64Array>();

  constructor(columns: readonly string[], mostNames: number, beyond: string) {
    this.#columns = columns;
    this.#mostNames = mostNames;
    this.#beyond = beyond;
  }

  add(name: string, column: number): void {
    const row = this.#rows.get(name) ?? this.#newRow(name);
    row[column] = (row[column] ?? 0) + 1;
  }

  /** What was ever counted. */
  entries(): { readonly name: string; readonly column: string; readonly count: number }[] {
    return [...this.#rows].flatMap(([name, row]) =>
      this.#columns.map((column, index) => ({ name, column, count: row[index] ?? 0 })).filter(({ count }) => count > 0),
    );
  }

  #newRow(name: string): Float64Array {
    const kept = this.#rows.size < this.#mostNames ? name : this.#beyond;
    const row = this.#rows.get(kept) ?? new Float64Array(this.#columns.length);
    this.#rows.set(kept, row);
    return row;
  }
}

/** Durations by the bounds that Prometheus is told, in seconds. */
export class DurationTally {
  readonly bounds: readonly number[];
  readonly #boundsMicros: Float64Array;
  /** Each alone, not summed up; the last is for what is beyond all bounds. */
  readonly #counts: Float64Array;
  #sumMicros = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#boundsMicros = Float64Array.from(bounds, (seconds) => seconds * 1_000_000);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(micros: number): void {
    let place = 0;
    while (place < this.#boundsMicros.length && micros > (this.#boundsMicros[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sumMicros += micros;
  }

  get sumSeconds(): number {
    return this.#sumMicros / 1_000_000;
  }

  /** For every bound how many stayed within it, and all of them at the end. */
  withinBounds(): number[] {
    let sum = 0;
    return [...this.#counts].map((count) => {
      sum += count;
      return sum;
    });
  }
}

const DAY_SECONDS = 86_400;

/** Since midnight UTC, or since the start if that was later. Times are whole seconds since 1970. */
export class DailyTally {
  #count = 0;
  #day = 0;

  add(now: number, count: number): void {
    this.#turn(now);
    this.#count += count;
  }

  today(now: number): number {
    this.#turn(now);
    return this.#count;
  }

  #turn(now: number): void {
    const day = Math.floor(now / DAY_SECONDS);
    if (day !== this.#day) this.#count = 0;
    this.#day = day;
  }
}
