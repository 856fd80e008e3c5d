/**
 * Placement and takeover with a thousand nodes and a million sources: the real machine of every node over one table of owners,
 * in simulated time, without calls and without faults but the death of nodes. Two things are done once instead of a thousand
 * times, because they would come out alike and this process has to hold them all: a table of slots is made once for the same
 * members, and only a few nodes keep what is told to everybody about who holds what.
 */
import { type ClusterEffect, type ClusterMessage, ClusterNode } from "../../src/cluster/cluster-node.ts";
import type { LeaseRequest } from "../../src/cluster/lease-requests.ts";
import type { Peer } from "../../src/cluster/peer.ts";
import { Placement, SLOTS, slotOf } from "../../src/cluster/placement.ts";
import type { KeyIndex } from "../../src/cluster/shares.ts";
import { HeldSources } from "../../src/nodes/held-sources.ts";
import { collectGarbage } from "../support/garbage.ts";
import { Random } from "../support/seed.ts";
import { OwnerTable } from "./database.ts";

interface ScaleOptions {
  readonly nodes: number;
  readonly sources: number;
  /** How many rows the database claims, renews or releases in a second; as many as are asked for unless said otherwise. */
  readonly rowsPerSecond?: number;
}

/** What one change of the cluster led to, until nothing moved any more. */
export interface ScalePhase {
  readonly what: string;
  /** Simulated. */
  readonly seconds: number;
  /** Until every source was held; undefined where some never were. */
  readonly ownedAfterSeconds: number | undefined;
  /** Until the last source had moved. */
  readonly settledAfterSeconds: number;
  readonly nodes: number;
  readonly taken: number;
  readonly handedOver: number;
  /** How often two nodes held one source at the same time. */
  readonly heldTwice: number;
  /** The fullest and the emptiest node, of the mean. */
  readonly fullest: number;
  readonly emptiest: number;
  readonly statements: number;
  readonly rows: number;
  readonly statementsInBusiestSecond: number;
  readonly rowsInBusiestSecond: number;
  /** Messages as their receivers count them, over all nodes. */
  readonly beatsHeard: number;
  readonly othersHeard: number;
  readonly megabytesHeard: number;
  /** Of one node's machine, in real milliseconds for each simulated second. */
  readonly machineMsPerSecond: number;
}

export interface ScaleReport {
  readonly nodes: number;
  readonly sources: number;
  readonly rowsPerSecond: number | undefined;
  /** To make one table of slots. */
  readonly tableMs: number;
  readonly phases: readonly ScalePhase[];
  /** Of one node: its machine, the same with all that it was told of owners, and its list of all sources. */
  readonly machineMiB: number;
  readonly machineWithOwnersMiB: number;
  readonly sourceListMiB: number;
}

const TICK_MS = 50;
/** On the bus and in the database. */
const HOP_MS = 1;
const QUIET_MS = 8_000;
const IDLE_MS = 10_000;
const MOST_MS = 90_000;
/** Nodes that keep what is told to all. The first is looked at closely. */
const OBSERVERS = 3;
/** What the bus adds to the JSON of a message: header, tag and length of an envelope, and NATS' line. */
const ENVELOPE_BYTES = 130;
const NOBODY = -1;
const KEY_PREFIX = "source-";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Machine extends Peer {
  readonly number: number;
  readonly cluster: ClusterNode;
  /** When it ticks within every 50 ms. */
  readonly phase: number;
  held: number;
}

export function runScale(options: ScaleOptions, onPhase: (phase: ScalePhase) => void = () => {}): ScaleReport {
  const { nodes, sources, rowsPerSecond } = options;
  const scale = new Scale(options);
  const counts = [...new Set([1, Math.ceil(nodes / 100), Math.ceil(nodes / 10)])];
  const steps: readonly (readonly [string, () => void])[] = [
    [`${nodes} nodes start`, () => scale.startAll()],
    ["nothing happens", () => {}],
    ...counts.map((count) => [`${count} of them die`, () => scale.kill(count)] as const),
    ...counts.map((count) => [`${count} join again`, () => scale.revive(count)] as const),
  ];
  const phases = steps.map(([what, begin]) => {
    const phase = scale.phase(what, begin);
    onPhase(phase);
    return phase;
  });
  return { nodes, sources, rowsPerSecond, tableMs: scale.tableMs, phases, ...scale.memory() };
}

class Scale {
  readonly #tableTimes: number[] = [];
  readonly #options: ScaleOptions;
  readonly #random = new Random(1);
  readonly #table: OwnerTable;
  readonly #index: KeyIndex;
  readonly #placements = new Map<string, Placement>();
  /** By number; undefined where it is dead. */
  readonly #machines: (Machine | undefined)[];
  readonly #due = new Map<number, (() => void)[]>();
  /** Which machine holds which source. */
  readonly #holders: Int32Array;
  #unheld: number;
  #now = 0;
  #databaseFreeAt = 0;
  #boots = 0;
  #phase!: Mutable<ScalePhase>;
  #lastMove = 0;
  #machineMs = 0;
  #second = { at: 0, statements: 0, rows: 0 };

  constructor(options: ScaleOptions) {
    const { nodes, sources } = options;
    this.#options = options;
    this.#table = new OwnerTable(() => this.#now);
    this.#index = indexOf(sources);
    this.#holders = new Int32Array(sources).fill(NOBODY);
    this.#unheld = sources;
    this.#machines = Array.from({ length: nodes }, () => undefined);
  }

  startAll(): void {
    for (let number = 0; number < this.#machines.length; number++) this.#start(number);
  }

  kill(count: number): void {
    const alive = this.#alive().filter(({ number }) => number >= OBSERVERS);
    for (let left = count; left > 0; left--) {
      const [machine] = alive.splice(this.#random.int(alive.length), 1);
      if (!machine) return;
      this.#machines[machine.number] = undefined;
      for (let key = 0; key < this.#holders.length; key++) if (this.#holders[key] === machine.number) this.#lost(key);
    }
  }

  revive(count: number): void {
    const dead = this.#machines.flatMap((machine, number) => (machine ? [] : number));
    for (const number of dead.slice(0, count)) this.#start(number);
  }

  phase(what: string, begin: () => void): ScalePhase {
    const phase = emptyPhase(what);
    this.#phase = phase;
    this.#machineMs = 0;
    this.#second = { at: this.#now, statements: 0, rows: 0 };
    const from = this.#now;
    this.#lastMove = from;
    begin();
    while (
      this.#now - from < MOST_MS &&
      (this.#unheld > 0 || this.#now - this.#lastMove < QUIET_MS || this.#now - from < IDLE_MS)
    ) {
      this.#step();
      if (this.#unheld === 0) phase.ownedAfterSeconds ??= (this.#now - from) / 1_000;
    }
    phase.seconds = (this.#now - from) / 1_000;
    phase.settledAfterSeconds = (this.#lastMove - from) / 1_000;
    phase.machineMsPerSecond = this.#machineMs / phase.seconds;
    this.#tellSpread(phase);
    return phase;
  }

  /** The median of all that were made. */
  get tableMs(): number {
    return this.#tableTimes.toSorted((one, other) => one - other)[this.#tableTimes.length >> 1] ?? 0;
  }

  /** Ends the run: machines are dropped to see what they held. */
  memory(): Pick<ScaleReport, "machineMiB" | "machineWithOwnersMiB" | "sourceListMiB"> {
    this.#due.clear();
    const whole = heldMiB();
    const dropped = this.#alive().slice(OBSERVERS, OBSERVERS + 50);
    for (const { number } of dropped) this.#machines[number] = undefined;
    const count = dropped.splice(0).length;
    const without = heldMiB();
    this.#machines[0] = undefined;
    const withoutObserver = heldMiB();
    const list = new HeldSources();
    list.replace(
      "sources",
      new Map(Array.from({ length: this.#options.sources }, (_, key) => [`${KEY_PREFIX}${key}`, undefined])),
    );
    const sourceListMiB = heldMiB() - withoutObserver;
    // It is looked at after the measurement, so that it is not garbage before.
    if (!list.has(`${KEY_PREFIX}0`)) throw new Error("the list is empty");
    return { machineMiB: (whole - without) / count, machineWithOwnersMiB: without - withoutObserver, sourceListMiB };
  }

  #start(number: number): void {
    const self = { node: `node-${number}`, boot: String(++this.#boots).padStart(6, "0") };
    const parts = { place: (members: Members) => this.#place(members) };
    const cluster = new ClusterNode({ self, index: this.#index, parts });
    this.#machines[number] = { ...self, number, cluster, phase: this.#random.int(TICK_MS), held: 0 };
  }

  #alive(): Machine[] {
    return this.#machines.filter((machine) => machine !== undefined);
  }

  /** Every node makes the same table; here it is made once. */
  #place(members: Members): Placement {
    const key = members
      .map(({ node, weight }) => `${node} ${weight}`)
      .sort()
      .join();
    const known = this.#placements.get(key);
    if (known) return known;
    const startedAt = performance.now();
    const made = new Placement(members);
    this.#tableTimes.push(performance.now() - startedAt);
    if (this.#placements.size > 100) this.#placements.clear();
    this.#placements.set(key, made);
    return made;
  }

  #step(): void {
    this.#now++;
    const due = this.#due.get(this.#now);
    this.#due.delete(this.#now);
    for (const run of due ?? []) run();
    const phase = this.#now % TICK_MS;
    for (const machine of this.#machines)
      if (machine?.phase === phase) this.#let(machine, (cluster) => cluster.tick(this.#now, 0));
  }

  #after(ms: number, run: () => void): void {
    const at = this.#now + Math.max(1, Math.ceil(ms));
    const due = this.#due.get(at);
    if (due) due.push(run);
    else this.#due.set(at, [run]);
  }

  /** Something happens to a machine, and it does what that leads to. */
  #let(machine: Machine, event: (cluster: ClusterNode) => readonly ClusterEffect[]): void {
    if (this.#machines[machine.number] !== machine) return;
    const isObserved = machine.number === 0;
    const startedAt = isObserved ? performance.now() : 0;
    const effects = event(machine.cluster);
    if (isObserved) this.#machineMs += performance.now() - startedAt;
    for (const effect of effects) this.#do(machine, effect);
  }

  #do(machine: Machine, effect: ClusterEffect): void {
    if (effect.do === "request") this.#ask(machine, effect.id, effect.request);
    else if (effect.do === "cast") this.#cast(machine, effect.message);
    else if (effect.do === "send") this.#send(machine, effect.to, effect.message);
    else if (effect.do === "begin") this.#began(machine, numberOf(effect.key));
    else if (effect.do === "end") this.#ended(machine, numberOf(effect.key));
    else if (effect.do === "stop") {
      this.#ended(machine, numberOf(effect.key));
      this.#phase.handedOver++;
      this.#after(HOP_MS, () => this.#let(machine, (cluster) => cluster.stopped(effect.key, effect.epoch, this.#now)));
    }
  }

  #cast(from: Machine, message: ClusterMessage): void {
    const isBeat = message.kind === "beat";
    const others = this.#alive().length - 1;
    this.#count(message, isBeat, others);
    const { node, boot } = from;
    this.#after(HOP_MS, () => {
      for (const machine of isBeat ? this.#machines : this.#machines.slice(0, OBSERVERS))
        if (machine && machine.number !== from.number)
          this.#let(machine, (cluster) => cluster.received({ node, boot }, message, this.#now));
    });
  }

  #send({ node, boot }: Machine, to: Peer, message: ClusterMessage): void {
    const machine = this.#machines[Number(to.node.slice("node-".length))];
    this.#count(message, false, machine ? 1 : 0);
    if (machine?.boot !== to.boot) return;
    this.#after(HOP_MS, () => this.#let(machine, (cluster) => cluster.received({ node, boot }, message, this.#now)));
  }

  #count(message: ClusterMessage, isBeat: boolean, receivers: number): void {
    const phase = this.#phase;
    if (isBeat) phase.beatsHeard += receivers;
    else phase.othersHeard += receivers;
    const bytes = isBeat ? BEAT_BYTES : JSON.stringify(message).length + ENVELOPE_BYTES;
    phase.megabytesHeard += (bytes * receivers) / 1e6;
  }

  #ask(machine: Machine, id: number, request: LeaseRequest): void {
    const rows = request.keys.length;
    this.#countStatement(rows);
    const { rowsPerSecond = Number.POSITIVE_INFINITY } = this.#options;
    this.#databaseFreeAt = Math.max(this.#databaseFreeAt, this.#now) + (rows / rowsPerSecond) * 1_000;
    this.#after(this.#databaseFreeAt - this.#now + HOP_MS, () => {
      const answer = this.#table.execute(machine, request);
      this.#after(HOP_MS, () => this.#let(machine, (cluster) => cluster.answered(id, answer, this.#now)));
    });
  }

  #countStatement(rows: number): void {
    const phase = this.#phase;
    phase.statements++;
    phase.rows += rows;
    if (this.#now - this.#second.at >= 1_000) this.#second = { at: this.#now, statements: 0, rows: 0 };
    this.#second.statements++;
    this.#second.rows += rows;
    phase.statementsInBusiestSecond = Math.max(phase.statementsInBusiestSecond, this.#second.statements);
    phase.rowsInBusiestSecond = Math.max(phase.rowsInBusiestSecond, this.#second.rows);
  }

  #began(machine: Machine, key: number): void {
    if (this.#holders[key] === NOBODY) this.#unheld--;
    else this.#phase.heldTwice++;
    this.#holders[key] = machine.number;
    machine.held++;
    this.#phase.taken++;
    this.#lastMove = this.#now;
  }

  #ended(machine: Machine, key: number): void {
    machine.held--;
    if (this.#holders[key] === machine.number) this.#lost(key);
  }

  #lost(key: number): void {
    this.#holders[key] = NOBODY;
    this.#unheld++;
  }

  #tellSpread(phase: Mutable<ScalePhase>): void {
    const held = this.#alive().map((machine) => machine.held);
    const mean = this.#options.sources / held.length;
    phase.nodes = held.length;
    phase.fullest = Math.max(...held) / mean;
    phase.emptiest = Math.min(...held) / mean;
  }
}

type Members = ConstructorParameters<typeof Placement>[0];

const BEAT_BYTES =
  JSON.stringify({
    boot: "0000001763456789",
    message: { kind: "beat", count: 12_345, weight: 1, load: 12.345_678_901_234, nextMs: 2_500 },
  }).length + ENVELOPE_BYTES;

function indexOf(sources: number): KeyIndex {
  const slots: string[][] = Array.from({ length: SLOTS }, () => []);
  for (let number = 0; number < sources; number++) {
    const key = `${KEY_PREFIX}${number}`;
    slots[slotOf(key)]?.push(key);
  }
  return { inSlot: (slot) => slots[slot] ?? [], pinned: () => [], pinsOf: () => undefined, has: () => true };
}

function numberOf(key: string): number {
  return Number(key.slice(KEY_PREFIX.length));
}

function heldMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_048_576;
}

function emptyPhase(what: string): Mutable<ScalePhase> {
  return {
    what,
    seconds: 0,
    ownedAfterSeconds: undefined,
    settledAfterSeconds: 0,
    nodes: 0,
    taken: 0,
    handedOver: 0,
    heldTwice: 0,
    fullest: 0,
    emptiest: 0,
    statements: 0,
    rows: 0,
    statementsInBusiestSecond: 0,
    rowsInBusiestSecond: 0,
    beatsHeard: 0,
    othersHeard: 0,
    megabytesHeard: 0,
    machineMsPerSecond: 0,
  };
}
