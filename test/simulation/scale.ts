/**
 * Placement and takeover with a thousand nodes and a million sources: the real machines of every node over one table of owners,
 * without calls and without faults but the death of nodes. Beats are left out: all nodes learn of a death one second after it.
 */
import { type LeaseEffect, Leases } from "../../src/cluster/leases.ts";
import { Placement, SLOTS, slotOf } from "../../src/cluster/placement.ts";
import { type KeyIndex, type ShareEffect, Shares } from "../../src/cluster/shares.ts";
import { Random } from "../support/seed.ts";
import { OwnerTable } from "./database.ts";

const TICK_MS = 50;
const KNOWN_AFTER_MS = 1_000;
/** Longer than a lease, so that what is over is over; then time for handovers. */
const MOST_MS = 40_000;

interface Machine {
  readonly node: string;
  readonly boot: string;
  readonly leases: Leases;
  readonly shares: Shares;
  readonly effects: (LeaseEffect | ShareEffect)[];
  held: number;
  isUp: boolean;
}

interface Phase {
  readonly what: string;
  ownedAfterMs: number | undefined;
  begun: number;
  handedOver: number;
  statements: number;
  keysInStatements: number;
  mostStatementsInSecond: number;
  tableMs: number;
  slotsMoved: number;
}

export function runScale(nodes: number, sources: number): string {
  const scale = new Scale(nodes, sources);
  const phases = [
    scale.phase("start", () => scale.startAll()),
    scale.phase("1 node dies", () => scale.kill(1)),
    scale.phase(`${nodes / 10} nodes die`, () => scale.kill(nodes / 10)),
    scale.phase("1 node joins", () => scale.revive()),
  ];
  return [`${nodes} nodes, ${sources} sources, ${SLOTS} slots`, ...phases].join("\n");
}

class Scale {
  readonly #random = new Random(1);
  readonly #sources: number;
  readonly #machines: Machine[];
  readonly #index: KeyIndex;
  readonly #table: OwnerTable;
  #now = 0;
  /** Keys whose owner is dead, or that never had one. */
  readonly #orphans = new Set<string>();
  #answers: (() => void)[] = [];
  #placement = new Placement([]);
  #phase!: Phase;
  #second = { at: 0, statements: 0 };

  constructor(nodes: number, sources: number) {
    this.#sources = sources;
    this.#table = new OwnerTable(() => this.#now);
    const slots: string[][] = Array.from({ length: SLOTS }, () => []);
    for (let number = 0; number < sources; number++) {
      const key = `source-${number}`;
      slots[slotOf(key)]?.push(key);
      this.#orphans.add(key);
    }
    this.#index = { inSlot: (slot) => slots[slot] ?? [], pinned: () => [], pinsOf: () => undefined, has: () => true };
    this.#machines = Array.from({ length: nodes }, (_, number) => this.#machine(`node-${number}`, `${number}.1`));
  }

  phase(what: string, begin: () => void): string {
    const phase: Phase = {
      what,
      ownedAfterMs: undefined,
      begun: 0,
      handedOver: 0,
      statements: 0,
      keysInStatements: 0,
      mostStatementsInSecond: 0,
      tableMs: 0,
      slotsMoved: 0,
    };
    this.#phase = phase;
    const from = this.#now;
    begin();
    for (let lastChange = from; this.#now - from < MOST_MS && this.#now - lastChange < 8_000; ) {
      const before = phase.begun;
      this.#tick();
      if (phase.begun !== before || this.#orphans.size > 0) lastChange = this.#now;
      if (this.#orphans.size === 0) phase.ownedAfterMs ??= this.#now - from;
    }
    return this.#told(phase, this.#now - from);
  }

  startAll(): void {
    for (const machine of this.#machines) machine.isUp = true;
    this.#place();
  }

  kill(count: number): void {
    const alive = this.#machines.filter(({ isUp }) => isUp);
    for (let left = count; left > 0; left--) {
      const [machine] = alive.splice(this.#random.int(alive.length), 1);
      if (!machine) return;
      machine.isUp = false;
      for (const key of machine.leases.heldKeys()) this.#orphans.add(key);
    }
    this.#later(KNOWN_AFTER_MS, () => this.#place());
  }

  revive(): void {
    const index = this.#machines.findIndex(({ isUp }) => !isUp);
    this.#machines[index] = { ...this.#machine(`node-${index}`, `${index}.2`), isUp: true };
    this.#later(KNOWN_AFTER_MS, () => this.#place());
  }

  #machine(node: string, boot: string): Machine {
    const effects: Machine["effects"] = [];
    const leases = new Leases({ node, boot }, (effect) => void effects.push(effect));
    const ports = {
      index: this.#index,
      held: () => leases.heldKeys(),
      isHeld: (key: string) => leases.holds(key),
      isBusy: () => false,
      hasCallers: () => false,
    };
    const shares = new Shares(node, ports, (effect) => void effects.push(effect));
    return { node, boot, leases, shares, effects, held: 0, isUp: false };
  }

  /** Every node makes the same table; here it is made once. */
  #place(): void {
    const members = this.#machines.filter(({ isUp }) => isUp).map(({ node }) => ({ node, weight: 1 }));
    const before = this.#placement;
    const startedAt = performance.now();
    this.#placement = new Placement(members);
    this.#phase.tableMs = performance.now() - startedAt;
    for (let slot = 0; slot < SLOTS; slot++)
      if (before.ofSlot(slot) !== this.#placement.ofSlot(slot)) this.#phase.slotsMoved++;
    for (const machine of this.#machines) {
      if (!machine.isUp) continue;
      // Nodes notice at different moments, and renew at different moments from then on.
      this.#later(this.#random.int(3_000), () => machine.shares.place(this.#placement, "share", this.#now));
    }
  }

  #later(ms: number, run: () => void): void {
    const at = this.#now + ms;
    const look = (): void => {
      if (this.#now >= at) run();
      else this.#answers.push(look);
    };
    this.#answers.push(look);
  }

  #tick(): void {
    this.#now += TICK_MS;
    for (const run of this.#answers.splice(0)) run();
    for (const machine of this.#machines) {
      if (!machine.isUp) continue;
      machine.shares.tick(this.#now);
      machine.leases.tick(this.#now);
      for (let index = 0; index < machine.effects.length; index++)
        this.#do(machine, machine.effects[index] as LeaseEffect | ShareEffect);
      machine.effects.length = 0;
    }
  }

  #do(machine: Machine, effect: LeaseEffect | ShareEffect): void {
    const { leases, shares } = machine;
    if (effect.do === "want") leases.want(effect.key, this.#now);
    else if (effect.do === "unwant") leases.unwant(effect.key);
    else if (effect.do === "handover") {
      this.#phase.handedOver++;
      leases.release(effect.key, effect.to);
    } else if (effect.do === "stop") {
      machine.held--;
      leases.stopped(effect.key, effect.epoch, this.#now);
    } else if (effect.do === "begin") {
      this.#phase.begun++;
      this.#orphans.delete(effect.key);
      machine.held++;
    } else if (effect.do === "end") machine.held--;
    else if (effect.do === "freed") {
      shares.ended(effect.key);
      this.#machines.find(({ node }) => node === effect.to)?.leases.isFree(effect.key, this.#now);
    } else if (effect.do === "request") this.#execute(machine, effect);
  }

  #execute(machine: Machine, { id, request }: Extract<LeaseEffect, { do: "request" }>): void {
    this.#phase.statements++;
    this.#phase.keysInStatements += request.keys.length;
    if (this.#now - this.#second.at >= 1_000) this.#second = { at: this.#now, statements: 0 };
    this.#second.statements++;
    this.#phase.mostStatementsInSecond = Math.max(this.#phase.mostStatementsInSecond, this.#second.statements);
    const rows = this.#table.execute(machine, request);
    this.#answers.push(() => machine.leases.answered(id, rows, this.#now));
  }

  #told(phase: Phase, lastedMs: number): string {
    const held = this.#machines.flatMap((machine) => (machine.isUp ? machine.held : []));
    const spread = Math.max(...held) / (this.#sources / held.length);
    const owned = phase.ownedAfterMs === undefined ? "never" : `after ${(phase.ownedAfterMs / 1_000).toFixed(2)} s`;
    const perSecond = (phase.statements / lastedMs) * 1_000;
    return [
      `${phase.what}: all owned ${owned}`,
      `  ${phase.begun} taken, ${phase.handedOver} of them handed over by a living owner; ${phase.slotsMoved} slots moved`,
      `  largest load ${Math.max(...held)}, ${spread.toFixed(3)} of the mean; table made in ${phase.tableMs.toFixed(0)} ms`,
      `  ${perSecond.toFixed(0)} statements/s (${phase.mostStatementsInSecond} in the busiest second), ` +
        `${(phase.keysInStatements / phase.statements).toFixed(0)} keys each, over ${(lastedMs / 1_000).toFixed(1)} s`,
    ].join("\n");
  }
}
