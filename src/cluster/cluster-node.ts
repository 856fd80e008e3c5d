/**
 * The state machine of one node: membership, leases, placement and forwarding combined, without sockets, so that the hub and the
 * simulator drive the same code. Every event is a method that takes `now` (this node's monotonic milliseconds) and returns the
 * effects to perform, in their order. It never waits, reads no clock and uses no random numbers. The file is longer than others
 * because it lists every event.
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

/** Every message between the state machines of nodes. */
export type ClusterMessage =
  | Beat
  | { readonly kind: "bye" }
  /**
   * Sent to all by a new owner: a node that held a key under an earlier epoch gives it up, and the others know where to forward
   * calls.
   */
  | { readonly kind: "owned"; readonly keys: readonly HeldKey[] }
  /** Sent to the node that should hold the key next: its row is free now. */
  | { readonly kind: "released"; readonly key: string }
  | ToOwner
  | ToEntry;

type InnerEffect = MembershipEffect | LeaseEffect | ShareEffect | EntryEffect | OwnerEffect;

/** What the hub has to do. Effects between the parts of the machine are not among them. */
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
  /** The owner of a key that no other node could hold, so that it needs no lease; undefined for all other keys. */
  unleased?(key: string): Owner | undefined;
  /** Replacements of parts, for the simulator. */
  readonly parts?: Partial<Parts>;
}

export interface Parts {
  readonly Leases: typeof Leases;
  readonly ForwardOwner: typeof ForwardOwner;
  place(...members: ConstructorParameters<typeof Placement>): Placement;
}

/** The least time for which a starting node listens for others before it claims its share; it also waits for two of their beats. */
const JOIN_MS = 1_500;
/** How often this node compares its load with that of the others. */
const WEIGH_MS = 500;
/** A node whose database has been silent for so long tells the others, while its leases are still valid. */
const CUT_OFF_MS = 4_000;
/** A longer time between two ticks means that this process was paused. */
const PAUSED_MS = 500;
/** A bus that is away for less than this does not fail any call. */
const BUS_GRACE_MS = 500;
/** The most that the last beat heard of a node and its last renewal in the database may lie apart. */
const BEAT_SLACK_MS = 1_000;
/** A lease with less time left than this has missed a renewal. */
const RENEWED_MS = LEASE_MS - RENEW_MS - BEAT_SLACK_MS;
/** Why calls are refused, in the words of `messages/en/details.ts`, where they are translated. */
const NO_BUS = "the nodes of the cluster cannot reach each other at the moment: try again";
const NO_DATABASE = "no node is known to hold it while the database cannot be reached: try again";
const NO_NODE = "all nodes of the cluster are being stopped: try again";
const OWNER_UNREACHABLE = "the node that holds it cannot be reached at the moment: try again";

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
  /** For each key that is being handed over, the node that gets it; undefined if none does. */
  readonly #handoverTargets = new Map<string, string | undefined>();
  readonly #pending: InnerEffect[] = [];
  readonly #makePlacement: Parts["place"];
  /** Newly held keys that were not announced yet. */
  readonly #unannounced: HeldKey[] = [];
  #out: ClusterEffect[] = [];
  /** When the bus was lost; undefined while it is connected. */
  #awaySince: number | undefined;
  #mode: ShareMode = "share";
  /** Whether clients may still call this node. */
  #isOpen = true;
  /** Whether the database has been silent for so long that this node can hold nothing. */
  #isCutOff = false;
  #checkedAt = 0;
  /** When the database answered again. */
  #backAt = Number.NEGATIVE_INFINITY;
  #startedAt: number | undefined;
  /** The members, weight and mode that the current placement was made of. */
  #placed = "";
  #placedAt = 0;
  #weighAt = 0;

  constructor({ self, index, unleased = () => undefined, parts = {} }: ClusterSetup) {
    this.#self = self;
    this.#unleased = unleased;
    this.#makePlacement = parts.place ?? ((members) => new Placement(members));
    const emit = (effect: InnerEffect): void => void this.#pending.push(effect);
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

  /** To be called about every 50 ms; `load` is how busy this node is, in the same unit on all nodes. */
  tick(now: number, load: number): ClusterEffect[] {
    this.#startedAt ??= now;
    this.#checkDatabase(now);
    this.#membership.tick(now, this.weight, load);
    this.#place(now, load);
    for (const part of [this.#leases, this.#shares, this.#entry, this.#owner]) part.tick(now);
    return this.#settle(now);
  }

  /** A message of another node, or of this node to itself. */
  received(from: Peer, message: ClusterMessage, now: number): ClusterEffect[] {
    if (message.kind === "beat") this.#membership.heard(from, message, now);
    else if (message.kind === "bye") this.#membership.left(from, now);
    else if (message.kind === "owned") for (const { key, epoch } of message.keys) this.#owned(from, key, epoch, now);
    else if (message.kind === "released") this.#released(message.key, now);
    else if (isForOwner(message)) this.#owner.received(from, message, now);
    else this.#entry.received(from, message, now);
    return this.#settle(now);
  }

  /** This message certainly never left. */
  undelivered(message: ClusterMessage, now: number): ClusterEffect[] {
    if (isForOwner(message)) this.#entry.undelivered(message, now);
    return this.#settle(now);
  }

  /** The bus reports that nobody listens at this node. */
  unheard(node: string, now: number): ClusterEffect[] {
    this.#entry.unheard(node, now);
    return this.#settle(now);
  }

  /** Whether the bus is connected. While it is not, the silence of other nodes means nothing, and no shares are taken over. */
  connected(isConnected: boolean, now: number): void {
    this.#awaySince = isConnected ? undefined : (this.#awaySince ?? now);
  }

  /** The database's answer to a `request`. */
  answered(id: number, rows: readonly OwnerRow[], now: number): ClusterEffect[] {
    this.#leases.answered(id, rows, now);
    return this.#settle(now);
  }

  /** A `request` has failed; it may have been executed or not. */
  requestFailed(id: number, now: number): void {
    this.#leases.requestFailed(id, now);
  }

  /** What the effect `stop` asked for is done. */
  stopped(key: string, epoch: number, now: number): ClusterEffect[] {
    this.#leases.stopped(key, epoch, now);
    return this.#settle(now);
  }

  /** A device has dialled this node, which claims its key by force, whoever holds it. */
  dialled(key: string, now: number): ClusterEffect[] {
    this.#leases.want(key, now, true);
    return this.#settle(now);
  }

  /** A device is still connected, but its lease has ended: this node claims its key if nobody holds it. */
  stillDialled(key: string, now: number): ClusterEffect[] {
    this.#leases.want(key, now);
    return this.#settle(now);
  }

  /** A device has disconnected: its key is released. */
  hungUp(key: string, now: number): ClusterEffect[] {
    this.#leases.unwant(key);
    this.#owner.lost(key, now);
    this.#leases.release(key, undefined);
    return this.#settle(now);
  }

  /** A source was added or removed; the index is up to date already. */
  sourceChanged(key: string, isThere: boolean, now: number): ClusterEffect[] {
    if (isThere) this.#shares.added(key);
    else {
      this.#shares.removed(key);
      this.#entry.removed(key);
    }
    return this.#settle(now);
  }

  /** A key without a lease, which another node had, is gone for ever. */
  removed(key: string, now: number): ClusterEffect[] {
    this.#entry.removed(key);
    return this.#settle(now);
  }

  /**
   * Hands everything over; when `isEmpty` is true, `bye` follows. While clients may still call this node (`isOpen`), it keeps what
   * no other node can hold.
   */
  leave(now: number, isOpen = false): ClusterEffect[] {
    this.#mode = "leave";
    this.#isOpen = isOpen;
    return this.#settle(now);
  }

  /**
   * Starts or stops draining: a node that drains hands over what another node may hold and takes nothing new, but stays a member.
   */
  drain(isDraining: boolean): void {
    if (this.#mode !== "leave") this.#mode = isDraining ? "drain" : "share";
  }

  isDatabaseAway(now: number): boolean {
    return this.#leases.isDatabaseAway(now);
  }

  get isDraining(): boolean {
    return this.#mode !== "share";
  }

  /** Whether another node drains, and takes nothing new. */
  drains({ node }: Peer): boolean {
    return this.#membership.members().some((member) => member.node === node && member.weight === 0);
  }

  /** Whether this node holds nothing and has no call under way. */
  get isEmpty(): boolean {
    return this.#leases.isEmpty && this.#owner.size === 0 && this.#entry.size === 0;
  }

  bye(): ClusterEffect[] {
    return [{ do: "cast", message: { kind: "bye" } }];
  }

  /** Whether this node holds a valid lease of the key under this epoch. */
  isLive(key: string, epoch: number, now: number): boolean {
    return this.#leases.isLive(key, epoch, now) || this.#unleased(key)?.boot === this.#self.boot;
  }

  /** The epoch under which this node holds the key; undefined if calls for it have to be forwarded. */
  epochOf(key: string, now: number): number | undefined {
    return this.#leases.epochOf(key, now);
  }

  /** The owner of the key, as far as this node knows. */
  ownerOf(key: string): Owner | undefined {
    return this.#unleased(key) ?? this.#directory.of(key);
  }

  /** Asks the database who holds these keys: a node that joined later has missed the announcement. */
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

  /** The source asks the client of this call; the effect `answer` brings the answer, with the number that is returned here. */
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
    this.#leases.superseded(key, epoch, now);
    this.#entry.located(key, now);
  }

  #released(key: string, now: number): void {
    this.#shares.offered(key, now);
    this.#leases.becameFree(key, now);
  }

  /** A node without the database can hold nothing: it reports weight 0, and the others take its share. */
  #checkDatabase(now: number): void {
    const wasCutOff = this.#isCutOff;
    // After a pause of this process, answers of the database may be waiting to be read.
    const wasPaused = now - this.#checkedAt > PAUSED_MS;
    this.#checkedAt = now;
    this.#isCutOff = this.#leases.silentMs(now) > CUT_OFF_MS && (wasCutOff || !wasPaused);
    if (wasCutOff && !this.#isCutOff) this.#backAt = now;
  }

  /**
   * Makes a new placement when members, weights or the mode have changed. With a thousand nodes this takes some 50 ms, so there it
   * happens at most once a second.
   */
  #place(now: number, load: number): void {
    if (now >= this.#weighAt) this.#weigh(now, load);
    const { version, size, beatMs } = this.#membership;
    const state = `${version} ${this.weight} ${this.#mode}`;
    if (state === this.#placed) return;
    // When the database was away for all nodes, they come back one after another.
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

  /** Routes the effects between the parts until only those are left that the hub has to perform. */
  #settle(now: number): ClusterEffect[] {
    for (let index = 0; index < this.#pending.length; index++) this.#route(this.#pending[index] as InnerEffect, now);
    this.#pending.length = 0;
    if (this.#unannounced.length > 0)
      this.#out.push({ do: "cast", message: { kind: "owned", keys: this.#unannounced.splice(0) } });
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** A table of what becomes of each effect. */
  #route(effect: InnerEffect, now: number): void {
    switch (effect.do) {
      case "want":
        this.#leases.want(effect.key, now);
        return;
      case "unwant":
        this.#leases.unwant(effect.key);
        return;
      case "handover":
        this.#handoverTargets.set(effect.key, effect.to);
        this.#owner.drain(effect.key);
        return;
      case "drained":
        this.#leases.release(effect.key, this.#handoverTargets.get(effect.key));
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
        this.#ended(effect.key, effect.epoch);
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

  /** Announces a newly held key: to all nodes, batched at the end, and to the previous owner directly, because it must stop. */
  #began({ key, epoch, before }: Extract<LeaseEffect, { do: "begin" }>, now: number): void {
    this.#directory.learn(key, { ...this.#self, epoch });
    this.#entry.located(key, now);
    this.#unannounced.push({ key, epoch });
    if (before && before.boot !== this.#self.boot)
      this.#out.push({ do: "send", to: before, message: { kind: "owned", keys: [{ key, epoch }] } });
  }

  #freed({ key, epoch, to }: Extract<LeaseEffect, { do: "freed" }>, now: number): void {
    if (!this.#leases.holds(key)) this.#owner.lost(key, now);
    this.#ended(key, epoch);
    const target = this.#membership.members().find(({ node }) => node === to);
    if (target) this.#out.push({ do: "send", to: target, message: { kind: "released", key } });
  }

  #ended(key: string, epoch: number): void {
    this.#handoverTargets.delete(key);
    this.#directory.forget(key, epoch);
    this.#shares.ended(key);
  }

  #seen(row: OwnerRow, now: number): void {
    const { key, node, boot, epoch } = row;
    if (node === undefined || boot === undefined) this.#directory.forget(key, epoch);
    else this.#directory.learn(key, { node, boot, epoch });
    this.#entry.located(key, now);
    if (this.#isOwnerUnreachable(row, now)) this.#entry.unreachable(key, OWNER_UNREACHABLE);
  }

  /**
   * Whether the owner is alive but cannot be heard: its lease was renewed after its last beat, so that nobody will take the key
   * over soon.
   */
  #isOwnerUnreachable({ node, boot, leftMs }: OwnerRow, now: number): boolean {
    if (node === undefined || boot === undefined) return false;
    const silentMs = this.#membership.silenceOf({ node, boot }, now);
    return silentMs !== undefined && leftMs > Math.max(RENEWED_MS, LEASE_MS - silentMs + BEAT_SLACK_MS);
  }

  /** Why a call without a known owner cannot be forwarded at the moment; undefined if it is worth waiting. */
  #obstacle(now: number): string | undefined {
    if (this.#awaySince !== undefined && now - this.#awaySince >= BUS_GRACE_MS) return NO_BUS;
    if (this.isDatabaseAway(now)) return NO_DATABASE;
    const isNobodyLeft = this.isDraining && this.#membership.members().every(({ weight }) => weight === 0);
    return isNobodyLeft ? NO_NODE : undefined;
  }
}

const FOR_OWNER: ReadonlySet<string> = new Set(["offer", "go", "cancel", "answer", "poll", "taken"]);

function isForOwner(message: ClusterMessage): message is ToOwner {
  return FOR_OWNER.has(message.kind);
}
