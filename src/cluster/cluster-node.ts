/**
 * One node of a cluster, without its sockets: membership, leases, placement and forwarding put together, so that the hub and
 * the simulator drive the same machine. Everything that happens is a method that takes `now` (this node's monotonic
 * milliseconds) and returns what is to be done, in this order. It waits for nothing, reads no clock and throws no dice. It is
 * longer than other files because it lists every event.
 */
import { type EntryEffect, ForwardEntry, type NewCall } from "./forward-entry.ts";
import { ForwardOwner, type OwnerEffect } from "./forward-owner.ts";
import type { HeldKey, OwnerRow } from "./lease-requests.ts";
import { LEASE_MS, type LeaseEffect, Leases, RENEW_MS } from "./leases.ts";
import { type Beat, Membership, type MembershipEffect } from "./membership.ts";
import type { Outcome, ToEntry, ToOwner } from "./messages.ts";
import { OwnerDirectory } from "./owner-directory.ts";
import type { Owner, Peer } from "./peer.ts";
import { Placement } from "./placement.ts";
import { type KeyIndex, type ShareEffect, type ShareMode, Shares } from "./shares.ts";
import { Weight } from "./weight.ts";

/** Everything that nodes say to each other. */
export type ClusterMessage =
  | Beat
  | { readonly kind: "bye" }
  /** To all: whoever held one of them under an earlier epoch lets go, and the others know where calls go. */
  | { readonly kind: "owned"; readonly keys: readonly HeldKey[] }
  /** To whoever should hold it next. */
  | { readonly kind: "released"; readonly key: string }
  | ToOwner
  | ToEntry;

type Inner = MembershipEffect | LeaseEffect | ShareEffect | EntryEffect | OwnerEffect;

/** What the hub is told to do; what the parts settle among themselves is not shown. */
export type ClusterEffect =
  | { readonly do: "send"; readonly to: Peer; readonly message: ClusterMessage }
  | { readonly do: "cast"; readonly message: ClusterMessage }
  | Extract<LeaseEffect, { do: "request" | "deadline" | "begin" | "stop" | "end" }>
  | Extract<OwnerEffect, { do: "enqueue" | "leave" | "execute" | "abort" | "answer" }>
  | Extract<EntryEffect, { do: "ended" | "progress" | "log" | "ask" | "withdraw" }>
  | Extract<MembershipEffect, { do: "came" | "gone" | "replaced" }>;

interface ClusterSetup {
  readonly self: Peer;
  readonly index: KeyIndex;
  /** Who has a key that no other node could hold, so that it needs no lease; undefined of all others. */
  unleased?(key: string): Owner | undefined;
  /** Which parts to use, where it is not the usual ones. */
  readonly parts?: Partial<Parts>;
}

export interface Parts {
  readonly Leases: typeof Leases;
  readonly ForwardOwner: typeof ForwardOwner;
  place(...members: ConstructorParameters<typeof Placement>): Placement;
}

/** How long a node that starts listens for others before it claims its share, at least; and at least two beats of them. */
const JOIN_MS = 1_500;
/** How often this node compares how busy it is with all others. */
const WEIGH_MS = 500;
/** How long the database may answer nothing; then there is still time to tell before a lease ends. */
const CUT_OFF_MS = 4_000;
/** A longer time between two ticks means that this process stood still. */
const STILL_MS = 500;
/** A connection to the bus that is back so soon was never away for those who call. */
const BUS_GRACE_MS = 500;
/** Between the last beat that was heard of a node and its last statement to the database. */
const BEAT_SLACK_MS = 1_000;
/** A lease with less than this left was not renewed when it should have been. */
const RENEWED_MS = LEASE_MS - RENEW_MS - BEAT_SLACK_MS;
/** Why calls are refused, in words that `messages/en/details.ts` has. */
const NO_BUS = "the nodes of the cluster cannot reach each other at the moment: try again";
const NO_DATABASE = "no node is known to hold it while the database cannot be reached: try again";
const UNHEARD = "the node that holds it cannot be reached at the moment: try again";

export class ClusterNode {
  readonly #self: Peer;
  readonly #unleased: (key: string) => Owner | undefined;
  readonly #membership: Membership;
  readonly #leases: Leases;
  readonly #shares: Shares;
  readonly #entry: ForwardEntry;
  readonly #owner: ForwardOwner;
  readonly #directory = new OwnerDirectory();
  readonly #weight = new Weight();
  readonly #heirs = new Map<string, string | undefined>();
  readonly #pending: Inner[] = [];
  readonly #makePlacement: Parts["place"];
  /** Keys that began to be held, and nobody was told so far. */
  readonly #begun: HeldKey[] = [];
  #out: ClusterEffect[] = [];
  /** Since when the bus is away. */
  #awaySince: number | undefined;
  #mode: ShareMode = "share";
  #isOpen = true;
  #isCutOff = false;
  #lookedAt = 0;
  /** When the database answered again. */
  #backAt = Number.NEGATIVE_INFINITY;
  #startedAt: number | undefined;
  #placed = "";
  #placedAt = 0;
  #weighAt = 0;

  constructor({ self, index, unleased = () => undefined, parts = {} }: ClusterSetup) {
    this.#self = self;
    this.#unleased = unleased;
    this.#makePlacement = parts.place ?? ((members) => new Placement(members));
    const emit = (effect: Inner): void => void this.#pending.push(effect);
    const ownerOf = (key: string) => this.ownerOf(key);
    this.#membership = new Membership(self, emit);
    this.#leases = new (parts.Leases ?? Leases)(self, emit);
    const leases = this.#leases;
    this.#owner = new (parts.ForwardOwner ?? ForwardOwner)(
      { isLive: (key, epoch, now) => this.isLive(key, epoch, now), ownerOf },
      emit,
    );
    const learn = (key: string, owner: Owner) => this.#directory.learn(key, owner);
    const isAlive = (peer: Peer) => this.#membership.isAlive(peer);
    const obstacle = (now: number) => this.#obstacle(now);
    this.#entry = new ForwardEntry({ ownerOf, learn, isAlive, obstacle }, emit);
    const held = () => leases.heldKeys();
    const isHeld = (key: string) => leases.holds(key);
    const isBusy = (key: string) => this.#owner.isBusy(key);
    const hasCallers = () => this.#isOpen || this.#entry.size > 0;
    this.#shares = new Shares(self.node, { index, held, isHeld, isBusy, hasCallers }, emit);
  }

  /** Every 50 ms or so; `load` is how busy this node is, in the same unit on all nodes. */
  tick(now: number, load: number): ClusterEffect[] {
    this.#startedAt ??= now;
    this.#lookAtDatabase(now);
    this.#membership.tick(now, this.weight, load);
    this.#place(now, load);
    for (const part of [this.#leases, this.#shares, this.#entry, this.#owner]) part.tick(now);
    return this.#settle(now);
  }

  /** A message of another node, or of this one to itself. */
  received(from: Peer, message: ClusterMessage, now: number): ClusterEffect[] {
    if (message.kind === "beat") this.#membership.heard(from, message, now);
    else if (message.kind === "bye") this.#membership.left(from, now);
    else if (message.kind === "owned") for (const { key, epoch } of message.keys) this.#owned(from, key, epoch, now);
    else if (message.kind === "released") this.#released(message.key, now);
    else if (isForOwner(message)) this.#owner.received(from, message, now);
    else this.#entry.received(from, message, now);
    return this.#settle(now);
  }

  /** The bus knows that nobody has got this message. */
  undelivered(message: ClusterMessage, now: number): ClusterEffect[] {
    if (isForOwner(message)) this.#entry.undelivered(message, now);
    return this.#settle(now);
  }

  /** Whether this node has its connection to the bus. Without it silence says nothing, and no share is taken over. */
  connected(isConnected: boolean, now: number): void {
    this.#awaySince = isConnected ? undefined : (this.#awaySince ?? now);
  }

  /** The database's answer to a `request`. */
  answered(id: number, rows: readonly OwnerRow[], now: number): ClusterEffect[] {
    this.#leases.answered(id, rows, now);
    return this.#settle(now);
  }

  /** A `request` has failed: nobody knows what became of it. */
  unreached(): void {
    this.#leases.unreached();
  }

  /** What `stop` asked for is done. */
  stopped(key: string, epoch: number, now: number): ClusterEffect[] {
    this.#leases.stopped(key, epoch, now);
    return this.#settle(now);
  }

  /** A device has dialled this node: the key is ours, whoever has it. */
  dialled(key: string, now: number): ClusterEffect[] {
    this.#leases.want(key, now, true);
    return this.#settle(now);
  }

  /** The device's socket is here still, and its lease is over: the key is ours where nobody else has it. */
  stillDialled(key: string, now: number): ClusterEffect[] {
    this.#leases.want(key, now);
    return this.#settle(now);
  }

  /** The device's socket is gone. */
  hungUp(key: string, now: number): ClusterEffect[] {
    this.#leases.unwant(key);
    this.#owner.lost(key, now);
    this.#leases.release(key, undefined);
    return this.#settle(now);
  }

  /** A source that was added or removed; the index knows of it already. */
  sourceChanged(key: string, isThere: boolean, now: number): ClusterEffect[] {
    if (isThere) this.#shares.added(key);
    else this.#shares.removed(key);
    return this.#settle(now);
  }

  /**
   * Hands everything over; `isEmpty` tells when that is done, then `bye`. While clients may still call here (`isOpen`), what no other
   * node can hold stays.
   */
  leave(now: number, isOpen = false): ClusterEffect[] {
    this.#mode = "leave";
    this.#isOpen = isOpen;
    return this.#settle(now);
  }

  /** Hands over what another node may hold and takes nothing, until it is told otherwise; it goes on being a node. */
  drain(isDraining: boolean): void {
    if (this.#mode !== "leave") this.#mode = isDraining ? "drain" : "share";
  }

  get isDraining(): boolean {
    return this.#mode !== "share";
  }

  /** Whether another node takes nothing new. */
  drains({ node }: Peer): boolean {
    return this.#membership.members().some((member) => member.node === node && member.weight === 0);
  }

  /** Nothing is held, offered or waited for. */
  get isEmpty(): boolean {
    return this.#leases.isEmpty && this.#owner.size === 0 && this.#entry.size === 0;
  }

  bye(): ClusterEffect[] {
    return [{ do: "cast", message: { kind: "bye" } }];
  }

  /** Whether this node may work for the key under this epoch, now. */
  isLive(key: string, epoch: number, now: number): boolean {
    return this.#leases.isLive(key, epoch, now) || this.#unleased(key)?.boot === this.#self.boot;
  }

  /** The epoch under which this node holds the key; undefined where a call has to be forwarded. */
  epochOf(key: string, now: number): number | undefined {
    return this.#leases.epochOf(key, now);
  }

  /** Who holds it, to the best of this node's knowledge. */
  ownerOf(key: string): Owner | undefined {
    return this.#unleased(key) ?? this.#directory.of(key);
  }

  /** Asks the database who holds these: whoever joined later was not told. */
  locate(keys: Iterable<string>, now: number): ClusterEffect[] {
    for (const key of keys) this.#leases.locate(key);
    return this.#settle(now);
  }

  get weight(): number {
    return this.isDraining || this.#isCutOff ? 0 : this.#weight.value;
  }

  call(call: NewCall, now: number): ClusterEffect[] {
    this.#entry.start(call, now);
    return this.#settle(now);
  }

  cancel(call: string, now: number): ClusterEffect[] {
    this.#entry.cancel(call);
    return this.#settle(now);
  }

  extend(call: string, leftMs: number, now: number): ClusterEffect[] {
    this.#entry.extend(call, leftMs, now);
    return this.#settle(now);
  }

  answer(call: string, question: number, text: string, now: number): ClusterEffect[] {
    this.#entry.answer(call, question, text);
    return this.#settle(now);
  }

  turn(ref: number, now: number): ClusterEffect[] {
    this.#owner.turn(ref, now);
    return this.#settle(now);
  }

  refused(ref: number, error: Outcome, now: number): ClusterEffect[] {
    this.#owner.refused(ref, error);
    return this.#settle(now);
  }

  note(ref: number, kind: "progress" | "log", text: string, now: number): ClusterEffect[] {
    this.#owner[kind](ref, text);
    return this.#settle(now);
  }

  /** The source asks the client of this call; the answer comes as an `answer` with the number that is given here. */
  ask(ref: number, text: string, now: number): { readonly question: number; readonly effects: ClusterEffect[] } {
    const question = this.#owner.ask(ref, text);
    return { question, effects: this.#settle(now) };
  }

  withdraw(ref: number, question: number, now: number): ClusterEffect[] {
    this.#owner.withdraw(ref, question);
    return this.#settle(now);
  }

  finished(ref: number, outcome: Outcome, now: number): ClusterEffect[] {
    this.#owner.finished(ref, outcome, now);
    return this.#settle(now);
  }

  #owned(from: Peer, key: string, epoch: number, now: number): void {
    this.#directory.learn(key, { ...from, epoch });
    this.#leases.overtaken(key, epoch, now);
    this.#entry.located(key, now);
  }

  #released(key: string, now: number): void {
    this.#shares.offered(key, now);
    this.#leases.isFree(key, now);
  }

  /** A node that does not reach the database can hold nothing: it says so, and the others take its share. */
  #lookAtDatabase(now: number): void {
    const wasCutOff = this.#isCutOff;
    // Where this process stood still itself, answers wait to be read.
    const wasStill = now - this.#lookedAt > STILL_MS;
    this.#lookedAt = now;
    this.#isCutOff = this.#leases.silentMs(now) > CUT_OFF_MS && (wasCutOff || !wasStill);
    if (wasCutOff && !this.#isCutOff) this.#backAt = now;
  }

  /** A table of a thousand nodes takes some 50 ms to make, so that it is made no more often than once a second there. */
  #place(now: number, load: number): void {
    if (now >= this.#weighAt) this.#weigh(now, load);
    const { version, size, beatMs } = this.#membership;
    const state = `${version} ${this.weight} ${this.#mode}`;
    if (state === this.#placed) return;
    // Where the database was away for all, they come back one after another.
    const isNew = now < Math.max(this.#startedAt ?? now, this.#backAt) + Math.max(JOIN_MS, 2 * beatMs);
    const isEarly = (isNew && !this.#isCutOff) || now < this.#placedAt + Math.min(size, 1_000);
    if ((isEarly || this.#awaySince !== undefined) && this.#mode !== "leave") return;
    this.#placed = state;
    this.#placedAt = now;
    const self = { node: this.#self.node, weight: this.weight };
    this.#shares.place(this.#makePlacement([...this.#membership.members(), self]), this.#mode, now);
  }

  #weigh(now: number, load: number): void {
    this.#weighAt = now + WEIGH_MS;
    const others = this.#membership.members().map((member) => member.load);
    this.#weight.update(load, others, now);
  }

  /** Hands what one part wants of another on, until nothing is left but what the hub has to do. */
  #settle(now: number): ClusterEffect[] {
    for (let index = 0; index < this.#pending.length; index++) this.#route(this.#pending[index] as Inner, now);
    this.#pending.length = 0;
    if (this.#begun.length > 0) this.#out.push({ do: "cast", message: { kind: "owned", keys: this.#begun.splice(0) } });
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** A table of what becomes of each effect. */
  #route(effect: Inner, now: number): void {
    switch (effect.do) {
      case "want":
        this.#leases.want(effect.key, now);
        return;
      case "unwant":
        this.#leases.unwant(effect.key);
        return;
      case "handover":
        this.#heirs.set(effect.key, effect.to);
        this.#owner.drain(effect.key);
        return;
      case "drained":
        this.#leases.release(effect.key, this.#heirs.get(effect.key));
        return;
      case "freed":
        this.#freed(effect, now);
        return;
      case "seen":
        this.#seen(effect.row, now);
        return;
      case "locate":
        this.#leases.locate(effect.key);
        return;
      case "begin":
        this.#out.push(effect);
        this.#began(effect, now);
        return;
      case "end":
        this.#out.push(effect);
        this.#owner.lost(effect.key, now);
        this.#over(effect.key, effect.epoch);
        return;
      case "came":
        this.#out.push(effect);
        this.#owner.came(effect.peer);
        return;
      case "gone":
        this.#out.push(effect);
        this.#entry.gone(effect.peer, now);
        this.#owner.gone(effect.peer, effect.why !== "silent", now);
        return;
      default:
        this.#out.push(effect);
    }
  }

  /** All are told of all that began, at the end; whoever had it must hear of it, and is also told by itself. */
  #began({ key, epoch, before }: Extract<LeaseEffect, { do: "begin" }>, now: number): void {
    this.#directory.learn(key, { ...this.#self, epoch });
    this.#entry.located(key, now);
    this.#begun.push({ key, epoch });
    if (before && before.boot !== this.#self.boot)
      this.#out.push({ do: "send", to: before, message: { kind: "owned", keys: [{ key, epoch }] } });
  }

  #freed({ key, epoch, to }: Extract<LeaseEffect, { do: "freed" }>, now: number): void {
    if (!this.#leases.holds(key)) this.#owner.lost(key, now);
    this.#over(key, epoch);
    const heir = this.#membership.members().find(({ node }) => node === to);
    if (heir) this.#out.push({ do: "send", to: heir, message: { kind: "released", key } });
  }

  #over(key: string, epoch: number): void {
    this.#heirs.delete(key);
    this.#directory.forget(key, epoch);
    this.#shares.ended(key);
  }

  #seen(row: OwnerRow, now: number): void {
    const { key, node, boot, epoch } = row;
    if (node === undefined || boot === undefined) this.#directory.forget(key, epoch);
    else this.#directory.learn(key, { node, boot, epoch });
    this.#entry.located(key, now);
    if (this.#isUnheard(row, now)) this.#entry.unreachable(key, UNHEARD);
  }

  /** Its lease was renewed just now, after it was last heard: it is at work, and nobody will take the key over soon. */
  #isUnheard({ node, boot, leftMs }: OwnerRow, now: number): boolean {
    if (node === undefined || boot === undefined) return false;
    const silentMs = this.#membership.silenceOf({ node, boot }, now);
    return silentMs !== undefined && leftMs > Math.max(RENEWED_MS, LEASE_MS - silentMs + BEAT_SLACK_MS);
  }

  #obstacle(now: number): string | undefined {
    if (this.#awaySince !== undefined && now - this.#awaySince >= BUS_GRACE_MS) return NO_BUS;
    return this.#leases.isAway(now) ? NO_DATABASE : undefined;
  }
}

const FOR_OWNER: ReadonlySet<string> = new Set(["offer", "go", "cancel", "answer", "poll", "taken"]);

function isForOwner(message: ClusterMessage): message is ToOwner {
  return FOR_OWNER.has(message.kind);
}
