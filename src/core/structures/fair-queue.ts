/**
 * The waiting room of a source. Between the four classes it is self-clocked fair queueing: each waiting class carries a
 * tag, the lowest tag is served, and serving moves it on by 8 / weight. A class that was idle joins at the present tag,
 * so it has saved nothing up and owes nothing. Inside a class the principals take turns; inside a principal it is first
 * come, first served. Whatever leaves is forgotten at once.
 */
import { PRIORITIES, type Priority } from "../../contract/rules.ts";
import { Floods } from "./floods.ts";
import { type Link, LinkedList } from "./linked-list.ts";

/** How many of fifteen turns each class gets while all of them wait. */
export const WEIGHTS: Readonly<Record<Priority, number>> = { HIGH: 8, MEDIUM: 4, LOW: 2, BULK: 1 };

/** How many calls of a class may wait in a flood at least, if the source has room: with fewer, nobody waits when its turn comes, and it loses the turn. */
const LEAST_OF_CLASS = 4;

/** One's place in the queue. */
export interface Ticket<T> {
  readonly item: T;
}

interface Place<T> extends Ticket<T> {
  readonly room: Room<T>;
  readonly lane: Lane<T>;
  link: Link<Place<T>> | undefined;
}

/** How many may wait: in a burst of one principal and class, and of all that are in a flood. */
interface Welcome {
  readonly burst: number;
  readonly spare: number;
}

/** What one principal has waiting in one class. */
interface Lane<T> {
  readonly principal: string;
  readonly places: LinkedList<Place<T>>;
  turn: Link<Lane<T>> | undefined;
}

export class FairQueue<T> {
  readonly #capacity: number;
  readonly #rooms: readonly Room<T>[] = PRIORITIES.map((priority) => new Room(WEIGHTS.HIGH / WEIGHTS[priority]));
  #size = 0;
  /** The tag served last. */
  #now = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  sizeOf(priority: Priority): number {
    return this.#room(priority).size;
  }

  /** Undefined where the queue is full. */
  push(item: T, priority: Priority, principal: string): Ticket<T> | undefined {
    if (this.#size >= this.#capacity) return undefined;
    this.#size++;
    return this.#room(priority).push(item, principal, this.#now);
  }

  /**
   * Whether one more of this class and principal is welcome. A burst of so many is; once that many wait, it is a flood, and
   * until most can be served again only so many may wait as its fair part of `spare` is.
   */
  admits(priority: Priority, principal: string, now: number, { burst, spare }: Welcome): boolean {
    const room = this.#room(priority);
    const waiting = room.sizeFor(principal);
    if (waiting < burst && !room.floods.has(principal, now)) return true;
    const others = PRIORITIES.filter((each) => each !== priority && this.sizeOf(each) > 0);
    const weights = others.reduce((sum, each) => sum + WEIGHTS[each], WEIGHTS[priority]);
    const ofClass = Math.max(Math.min(LEAST_OF_CLASS, spare), (spare * WEIGHTS[priority]) / weights);
    const part = Math.floor(ofClass / Math.max(1, room.principals));
    const isWelcome = waiting < Math.max(1, part);
    room.floods.note(principal, now, !isWelcome);
    return isWelcome;
  }

  shift(): T | undefined {
    const room = this.#next();
    if (!room) return undefined;
    this.#now = room.tag;
    const item = room.shift();
    this.#left();
    return item;
  }

  /** False where it was served or removed before. */
  remove(ticket: Ticket<T>): boolean {
    const place = ticket as Place<T>;
    if (!this.#rooms.includes(place.room) || !place.room.remove(place)) return false;
    this.#left();
    return true;
  }

  /** How many are served before it if nobody else joins or leaves; -1 where it waits no longer. */
  positionOf(ticket: Ticket<T>): number {
    const place = ticket as Place<T>;
    const own = this.#rooms.indexOf(place.room);
    const before = own < 0 ? -1 : place.room.positionOf(place);
    if (before < 0) return -1;
    const tag = place.room.tag + before * place.room.stride;
    return this.#rooms.reduce(
      (sum, room, index) => sum + (index === own ? 0 : room.servedUntil(tag, index < own)),
      before,
    );
  }

  #room(priority: Priority): Room<T> {
    return this.#rooms[PRIORITIES.indexOf(priority)] as Room<T>;
  }

  #next(): Room<T> | undefined {
    let next: Room<T> | undefined;
    for (const room of this.#rooms) if (room.size > 0 && !(next && next.tag <= room.tag)) next = room;
    return next;
  }

  #left(): void {
    if (--this.#size > 0) return;
    // With nobody left to be fair to, the tags start again and never grow past what numbers hold.
    this.#now = 0;
    for (const room of this.#rooms) room.reset();
  }
}

/** One class. */
class Room<T> {
  readonly stride: number;
  /** When its next one is due; means something only while somebody waits. */
  tag = 0;
  size = 0;
  readonly floods: Floods = new Floods();
  #served = 0;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #turns = new LinkedList<Lane<T>>();

  constructor(stride: number) {
    this.stride = stride;
  }

  push(item: T, principal: string, now: number): Place<T> {
    if (this.size++ === 0) this.tag = Math.max(now, this.#served) + this.stride;
    const lane = this.#lanes.get(principal) ?? this.#openLane(principal);
    const place: Place<T> = { item, room: this, lane, link: undefined };
    place.link = lane.places.push(place);
    return place;
  }

  sizeFor(principal: string): number {
    return this.#lanes.get(principal)?.places.size ?? 0;
  }

  get principals(): number {
    return this.#lanes.size;
  }

  shift(): T | undefined {
    const lane = this.#turns.first;
    const place = lane?.places.shift();
    if (!lane || !place) return undefined;
    this.#served = this.tag;
    this.tag += this.stride;
    this.#turns.remove(lane.turn);
    if (lane.places.size > 0) lane.turn = this.#turns.push(lane);
    this.#left(lane);
    return place.item;
  }

  remove(place: Place<T>): boolean {
    if (!place.lane.places.remove(place.link)) return false;
    if (place.lane.places.size === 0) this.#turns.remove(place.lane.turn);
    this.#left(place.lane);
    return true;
  }

  positionOf(place: Place<T>): number {
    const rounds = place.lane.places.indexOf(place.link);
    if (rounds < 0) return -1;
    let before = rounds;
    let earlier = 1;
    for (const lane of this.#turns) {
      if (lane === place.lane) earlier = 0;
      else before += Math.min(lane.places.size, rounds + earlier);
    }
    return before;
  }

  /** How many of its own are served before a tag of another class; `first` where it goes first when both are due. */
  servedUntil(tag: number, first: boolean): number {
    const turns = (tag - this.tag) / this.stride;
    return Math.min(this.size, Math.max(0, first ? Math.floor(turns) + 1 : Math.ceil(turns)));
  }

  reset(): void {
    this.#served = 0;
  }

  #openLane(principal: string): Lane<T> {
    const lane: Lane<T> = { principal, places: new LinkedList(), turn: undefined };
    lane.turn = this.#turns.push(lane);
    this.#lanes.set(principal, lane);
    return lane;
  }

  #left(lane: Lane<T>): void {
    this.size--;
    if (lane.places.size === 0) this.#lanes.delete(lane.principal);
  }
}
