/**
 * One home while somebody watches: what was last told of it, and what is to be told next. Changes of entities are gathered for
 * a moment; the whole home is told where they are not enough.
 */
import type { SourceState } from "../../core/events.ts";
import type { Clock } from "../../core/ports.ts";
import type { EntityView, HomeChange, HomeView } from "../../doors/live/views.ts";
import type { Source, Things } from "../../sources/source.ts";
import { entitiesIn, homeView, withEntities } from "./home-view.ts";

const GATHER_MS = 250;

export class WatchedHome {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #tell: (change: HomeChange) => void;
  #state: SourceState | undefined;
  #things: Things | undefined;
  #unwatch: () => void = nothing;
  #stopTimer: (() => void) | undefined;
  /** Those that may be different from what was told. */
  #changed = new Set<string>();
  /** Whether all of it may be. */
  #isOld = false;
  #isReading = false;
  #isClosed = false;
  #told: HomeView | undefined;

  constructor(name: string, clock: Clock, tell: (change: HomeChange) => void) {
    this.#name = name;
    this.#clock = clock;
    this.#tell = tell;
  }

  /** As it was last told; undefined where that is still to come. */
  get told(): HomeView | undefined {
    return this.#told;
  }

  /** To be called now and then: who comes and goes does not say so here. */
  look(source: Source): void {
    const { state } = source.status();
    const things = source.things?.();
    if (state === this.#state && things === this.#things) return;
    this.#state = state;
    if (things !== this.#things) this.#follow(things);
    this.#isOld = true;
    this.#flush();
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#stopTimer?.();
  }

  #follow(things: Things | undefined): void {
    this.#unwatch();
    this.#things = things;
    const changed = (ids: readonly string[]): void => {
      for (const id of ids) this.#changed.add(id);
      this.#soon();
    };
    const rearranged = (): void => {
      this.#isOld = true;
      this.#soon();
    };
    this.#unwatch = things?.watch({ changed, rearranged }) ?? nothing;
  }

  #soon(): void {
    this.#stopTimer ??= this.#clock.after(GATHER_MS, () => {
      this.#stopTimer = undefined;
      this.#flush();
    });
  }

  /** What comes while the home is being read is told after that. */
  #flush(): void {
    if (this.#isReading || this.#isClosed) return;
    if (!this.#isOld && this.#told) this.#tellEntities(this.#told);
    if (this.#isOld) void this.#tellAll();
  }

  #tellEntities(told: HomeView): void {
    const now = new Map<string, EntityView>();
    for (const shown of entitiesIn(told).filter(({ id }) => this.#changed.has(id))) {
      const thing = this.#things?.get(shown.id);
      // One of another name stands elsewhere in the order.
      if (thing?.name !== shown.name) this.#isOld = true;
      else if (!isSame(thing, shown)) now.set(shown.id, thing);
    }
    this.#changed.clear();
    if (this.#isOld || now.size === 0) return;
    this.#told = withEntities(told, now);
    this.#tell({ name: this.#name, entities: [...now.values()] });
  }

  async #tellAll(): Promise<void> {
    this.#isReading = true;
    this.#isOld = false;
    const home = await this.#read();
    this.#isReading = false;
    if (this.#isClosed) return;
    // It came, went or changed meanwhile: then this is no more than a step on the way.
    if (this.#isOld || this.#changed.size > 0) this.#soon();
    if (isSame(home, this.#told)) return;
    this.#told = home;
    this.#tell({ name: this.#name, home });
  }

  /** A home that is lost on the way is one without areas; its next state says the rest. */
  async #read(): Promise<HomeView> {
    const state = this.#state ?? "idle";
    const things = (await this.#things?.list().catch(() => undefined)) ?? [];
    return homeView(this.#name, state, things);
  }
}

function isSame(one: object, other: object | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function nothing(): void {}
