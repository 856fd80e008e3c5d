/**
 * A hub under mixed calls at every door, for as long as one likes: clients come and go, boxes stay, something goes wrong now
 * and then, and what is held is counted all the while. Nothing is judged here but answers; the rest is the report's reader's.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../seed.ts";
import { type Caller, type CallerKind, COMMON, RARE } from "./callers.ts";
import { FAULTS } from "./faults.ts";
import { type Held, type LiveHeap, liveHeap, whatIsHeld } from "./held.ts";
import { makeWork, ORIGINS, type Origin } from "./work.ts";
import { World } from "./world.ts";

export interface SoakOptions {
  readonly seconds: number;
  readonly callsPerSecond: number;
  /** Clients that are there at a time. */
  readonly clients: number;
  readonly boxes: number;
  /** 0 for none. */
  readonly faultEverySeconds: number;
  /** When what is held is counted for the first time with all being quiet; the second time is the end. */
  readonly firstPauseSeconds: number;
  progress?(line: string): void;
}

/** What is held while nobody calls. */
export interface AtRest extends Held, LiveHeap {}

export interface SoakReport {
  readonly options: SoakOptions;
  readonly calls: number;
  /** By door. */
  readonly doors: Readonly<Record<string, number>>;
  /** How many clients came. */
  readonly came: number;
  /** Failures that no fault explains. */
  readonly unexplained: readonly string[];
  readonly explained: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly samples: readonly Held[];
  /** Before the first client, at the first pause, at the end, and when all had left. */
  readonly before: AtRest;
  readonly first: AtRest;
  readonly last: AtRest;
  readonly after: AtRest;
}

const AT_ONCE = 48;
const TICK_MS = 5;
const SAMPLE_MS = 2_000;
/** So long calls may fail after what troubled their source. */
const EXCUSE_MS = 20_000;
/** One in so many calls is a caller's last. */
const LIFE_CALLS = 60;
/** One in so many callers leaves without a word, where there is time to see what becomes of that. */
const SILENT = 5;
/** What was left without a word is given up after its idleness and a sweep. */
const SETTLE_SECONDS = 100;

interface Place {
  readonly kind: CallerKind;
  caller: Caller;
  isBusy: boolean;
}

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const world = await World.open();
  try {
    return await new Soak(world, options).run();
  } finally {
    await world.close();
  }
}

class Soak {
  readonly #world: World;
  readonly #options: SoakOptions;
  readonly #random = new Random();
  readonly #places: Place[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #doors: Record<string, number> = {};
  readonly #faults: Record<string, number> = {};
  readonly #unexplained: string[] = [];
  readonly #samples: Held[] = [];
  readonly #excused = new Map<Origin, number>();
  readonly #startedAt = performance.now();
  #explained = 0;
  #calls = 0;
  #came = 0;
  #fault: Promise<void> | undefined;
  #faultsSoFar = 0;

  constructor(world: World, options: SoakOptions) {
    this.#world = world;
    this.#options = options;
  }

  async run(): Promise<SoakReport> {
    const { clients, boxes, seconds, firstPauseSeconds } = this.#options;
    // Every kind of caller once, so that whatever is loaded with the first of them is there.
    await this.#world.boxesCome(0, boxes);
    await this.#fill(RARE.length + COMMON.length);
    for (const place of this.#places) await this.#call(place);
    await this.#empty();
    const before = await this.#rest();
    await this.#world.boxesCome(0, boxes);
    await this.#fill(clients);
    await this.#during(firstPauseSeconds);
    const first = await this.#rest();
    await this.#during(seconds - firstPauseSeconds);
    const last = await this.#rest();
    await this.#empty();
    const after = await this.#back(before);
    const { options, calls, doors, came, unexplained, explained, faults, samples } = this.#told();
    return { options, calls, doors, came, unexplained, explained, faults, samples, before, first, last, after };
  }

  #told() {
    return {
      options: this.#options,
      calls: this.#calls,
      doors: this.#doors,
      came: this.#came,
      unexplained: this.#unexplained,
      explained: this.#explained,
      faults: this.#faults,
      samples: this.#samples,
    };
  }

  get #isLong(): boolean {
    return this.#options.seconds > 3 * SETTLE_SECONDS;
  }

  get #now(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }

  async #fill(count: number): Promise<void> {
    for (const kind of RARE) await this.#add(kind);
    for (let place = 0; this.#places.length < count; place++)
      await this.#add(COMMON[place % COMMON.length] as CallerKind);
  }

  async #add(kind: CallerKind): Promise<void> {
    this.#came++;
    this.#places.push({ kind, caller: await kind.open(this.#world), isBusy: false });
  }

  async #empty(): Promise<void> {
    await Promise.all(this.#places.splice(0).map(({ caller }) => caller.leave(false)));
    await this.#world.allLeave();
  }

  /** Calls come at their pace, but never more than so many at once: what is slow is not flooded. */
  async #during(seconds: number): Promise<void> {
    const { callsPerSecond, faultEverySeconds } = this.#options;
    const began = this.#now;
    const troubled = seconds > 2 * SETTLE_SECONDS ? seconds - SETTLE_SECONDS : seconds;
    let [sent, lastSample, lastFault] = [0, 0, began];
    for (let past = 0; past < seconds; past = this.#now - began) {
      // Who was late does not make up for it.
      const due = Math.min(Math.floor(past * callsPerSecond), sent + AT_ONCE);
      for (; sent < due && this.#running.size < AT_ONCE; sent++) this.#launch();
      if (performance.now() - lastSample > SAMPLE_MS) {
        lastSample = performance.now();
        await this.#sample();
      }
      if (faultEverySeconds > 0 && past < troubled && this.#now - lastFault > faultEverySeconds) {
        lastFault = this.#now;
        this.#fault ??= this.#trouble();
      }
      await sleep(TICK_MS);
    }
    await Promise.all([...this.#running, this.#fault]);
  }

  async #sample(): Promise<void> {
    const held = await whatIsHeld(this.#world.hub, this.#world.http, this.#now);
    this.#samples.push(held);
    const { at, residentMb, sessions, files } = held;
    const minutes = (at / 60).toFixed(1);
    if (this.#samples.length % 15 === 0)
      this.#options.progress?.(
        `${minutes} min: ${this.#calls} calls, ${residentMb} MB, ${sessions} sessions, ${files} files, ${this.#unexplained.length} unexplained`,
      );
  }

  #launch(): void {
    const free = this.#random.int(this.#places.length);
    const place = [...this.#places.slice(free), ...this.#places.slice(0, free)].find(({ isBusy }) => !isBusy);
    if (!place) return;
    const one = this.#turn(place).finally(() => this.#running.delete(one));
    this.#running.add(one);
  }

  async #turn(place: Place): Promise<void> {
    place.isBusy = true;
    await this.#call(place);
    if (this.#random.chance(LIFE_CALLS)) await this.#replace(place);
    place.isBusy = false;
  }

  async #replace(place: Place): Promise<void> {
    try {
      await place.caller.leave(this.#isLong && this.#random.chance(SILENT));
      place.caller = await place.kind.open(this.#world);
      this.#came++;
    } catch (cause) {
      this.#unexplained.push(`${place.kind.door} could not come again: ${cause}`);
    }
  }

  async #call({ kind, caller }: Place): Promise<void> {
    const origin = kind.only ?? this.#random.pick(ORIGINS.slice(0, this.#options.boxes > 0 ? undefined : -1));
    const work = makeWork(origin, this.#random, this.#options.boxes);
    const answer = await caller.call(work).catch((cause: unknown) => String(cause));
    this.#calls++;
    this.#doors[kind.door] = (this.#doors[kind.door] ?? 0) + 1;
    if (work.says.test(answer)) return;
    if ((this.#excused.get(origin) ?? 0) > performance.now()) this.#explained++;
    else this.#unexplained.push(`${kind.door}, ${origin}: ${answer.slice(0, 300)}`);
  }

  /** Each fault in its turn. */
  async #trouble(): Promise<void> {
    const fault = FAULTS[this.#faultsSoFar++ % FAULTS.length];
    if (!fault) return;
    for (const origin of fault.hits) this.#excused.set(origin, performance.now() + EXCUSE_MS);
    try {
      await fault.happen(this.#world, this.#options.boxes);
      this.#faults[fault.name] = (this.#faults[fault.name] ?? 0) + 1;
    } catch (cause) {
      this.#unexplained.push(`${fault.name}: ${cause}`);
    }
    this.#fault = undefined;
  }

  /** Nobody calls, nobody comes and nobody goes. */
  async #rest(): Promise<AtRest> {
    const { hub, http } = this.#world;
    const heap = await liveHeap(hub);
    return { ...(await whatIsHeld(hub, http, this.#now)), ...heap };
  }

  /** When everything is back, or after a time in which it should be. */
  async #back(before: AtRest): Promise<AtRest> {
    for (const until = this.#now + SETTLE_SECONDS; ; await sleep(500)) {
      const now = await this.#rest();
      const isBack = BACK.every((what) => now[what] - before[what] <= NEAR);
      if (isBack || this.#now > until) return now;
    }
  }
}

/** What must be as before when all have left, and how near. */
export const BACK = ["files", "sockets", "children", "handles", "sessions", "streams", "openSockets"] as const;
export const NEAR = 5;
