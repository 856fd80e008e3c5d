/**
 * One history: a minute of a small cluster under faults, with clients that call, ask to be asked, cancel and write, and with
 * devices that dial. Faults end after half of it; from then on everything must be in order again within twelve seconds.
 */
import type { ClusterEffect } from "../../src/cluster/cluster-node.ts";
import type { LeaseRequest } from "../../src/cluster/lease-requests.ts";
import type { Peer } from "../../src/cluster/peer.ts";
import { slotOf } from "../../src/cluster/placement.ts";
import { Random } from "../support/seed.ts";
import { SOUND, type Variant } from "./broken.ts";
import { callNow, cancelLater, Devices, tellClient, writeNow } from "./clients.ts";
import { OwnerTable } from "./database.ts";
import { aimAtEffect, aimAtMessage, aimAtStatement, scheduleFaults } from "./faults.ts";
import { Ledger, Violation } from "./ledger.ts";
import { Network } from "./network.ts";
import { SimNode, type Surroundings } from "./sim-node.ts";
import { SkewedClock, World } from "./world.ts";

export interface HistoryOptions {
  readonly nodes: number;
  readonly variant?: Variant;
  /** "faults": everything. "rolling": nodes are restarted one after the other, in order, and nothing else happens. */
  readonly mode?: "faults" | "rolling";
  readonly isTraced?: boolean;
}

export interface HistoryResult {
  readonly violation: string | undefined;
  readonly calls: number;
  readonly faults: number;
  readonly counts: Ledger["counts"];
  readonly writes: number;
  readonly moves: number;
  readonly trace: readonly string[];
}

const FAULTS_FROM = 6_000;
const HEALED_AT = 32_000;
const OWNED_WITHIN = 12_000;
const HANDOVER_MS = 3_000;
const CALLS_UNTIL = 40_000;
/** The last deadline of a call, and a little. */
const END = { faults: 56_500, rolling: 72_000 };
const KEYS = 9;

export class History implements Surroundings {
  readonly world: World;
  readonly ledger: Ledger;
  readonly network: Network;
  readonly nodes: SimNode[];
  /** Processes that stand still while another was started in their place. */
  readonly ghosts: SimNode[] = [];
  readonly devices: Devices;
  readonly database = {
    isAway: false,
    slowMs: 0,
    /** Nodes that cannot reach it, until when. */
    cutUntil: new Map<string, number>(),
    /** Nodes whose next statement about leases hangs. */
    stallsNext: new Set<string>(),
    writes: new Set<string>(),
  };
  readonly parts: Variant["parts"];
  readonly hasUndertaker: boolean;
  readonly index: Surroundings["index"];
  readonly keys: readonly string[];
  faults = 0;
  moves = 0;
  isFaulty = false;
  /** How much rarer faults are than in the worst of histories. */
  readonly calmness: number;
  readonly #table: OwnerTable;
  readonly mode: "faults" | "rolling";
  readonly #ownedAt = new Map<string, number>();
  #boots = 0;

  constructor(seed: number, { nodes, variant = SOUND, mode = "faults", isTraced = false }: HistoryOptions) {
    this.world = new World(new Random(seed), isTraced);
    this.calmness = this.world.random.pick([1, 2, 6]);
    this.ledger = new Ledger(this.world);
    this.parts = variant.parts;
    this.hasUndertaker = variant.hasUndertaker;
    this.mode = mode;
    const clock = new SkewedClock(this.world, 0.01);
    this.#table = new OwnerTable(() => clock.now());
    this.network = new Network(this.world, {
      deliver: (from, to, message) => {
        const node = this.#processOf(to);
        if (!node?.isUp) return false;
        if (message.kind !== "beat")
          this.world.note(() => `${from.node} → ${to.node} ${JSON.stringify(message).slice(0, 160)}`);
        node.step((cluster, now) => cluster.received(from, message, now));
        return true;
      },
      bounce: (from, to, message) => {
        const node = this.#processOf(from);
        const record = message.kind === "go" ? this.ledger.calls.get(message.call) : undefined;
        if (record?.goneTo === to.boot) record.goneTo = undefined;
        node?.step((cluster, now) =>
          message.kind === "offer" ? cluster.unheard(to.node, now) : cluster.undelivered(message, now),
        );
      },
    });
    this.nodes = Array.from({ length: nodes }, (_, number) => new SimNode(`n${number}`, this));
    this.keys = Array.from({ length: KEYS }, (_, number) => `key${number}`);
    this.index = this.#makeIndex();
    this.devices = new Devices(this);
  }

  run(): HistoryResult {
    let violation: string | undefined;
    try {
      this.#live();
    } catch (cause) {
      if (!(cause instanceof Violation)) throw cause;
      violation = cause.message;
    }
    const { ledger, faults, moves, world } = this;
    const { counts, writes } = ledger;
    return {
      violation,
      calls: ledger.calls.size,
      faults,
      counts,
      writes: writes.size,
      moves,
      trace: world.trace ?? [],
    };
  }

  #live(): void {
    for (const node of this.nodes) this.world.after(this.world.between(0, 3_000), () => node.start());
    this.world.after(3_500, () => this.devices.start());
    this.#keepCalling();
    this.#keepWriting();
    this.isFaulty = this.mode === "faults";
    if (this.isFaulty) scheduleFaults(this, FAULTS_FROM, HEALED_AT);
    else this.world.after(FAULTS_FROM, () => this.#roll(this.nodes));
    this.world.runUntil(HEALED_AT);
    this.#heal();
    const end = END[this.mode];
    for (let at = HEALED_AT; at < end; at += 100) {
      this.world.runUntil(at);
      if (this.mode === "faults") this.#checkOwned();
    }
    this.world.runUntil(end);
    this.ledger.checkEnd(this.mode === "rolling");
    for (const write of this.ledger.writes)
      if (!this.database.writes.has(write)) this.ledger.fail(`${write} was confirmed and is not there`);
  }

  nextBoot(): string {
    return String(++this.#boots).padStart(6, "0");
  }

  nodeOf(name: string): SimNode {
    return this.nodes[Number(name.slice(1))] as SimNode;
  }

  #processOf({ boot }: Peer): SimNode | undefined {
    return [...this.nodes, ...this.ghosts].find((node) => node.boot === boot);
  }

  /** Somebody takes a process that stands still for dead, and starts another under its name. */
  replace(node: SimNode): void {
    node.pause();
    this.ghosts.push(node);
    const successor = new SimNode(node.node, this);
    this.nodes[this.nodes.indexOf(node)] = successor;
    successor.start();
  }

  anyNode(): SimNode {
    return this.world.random.pick(this.nodes);
  }

  revive(node: SimNode): void {
    if (!node.isUp && this.nodes.includes(node)) node.start();
  }

  redial(): void {
    this.devices.redial();
  }

  tellBus(isConnected: boolean): void {
    for (const node of this.nodes)
      if (node.isUp)
        node.step((cluster, now) => {
          cluster.connected(isConnected, now);
          return [];
        });
  }

  /** SIGTERM: hands over, waits until nothing is left, says goodbye, and is started again. */
  restartInOrder(node: SimNode, atMostMs = 15_000, then = () => {}): void {
    if (!node.isUp || node.isPaused || node.isLeaving || this.nodes.some(({ isLeaving }) => isLeaving)) return;
    this.world.note(() => `${node.node} is asked to leave`);
    node.isLeaving = true;
    const { boot } = node;
    const since = this.world.now;
    node.step((cluster, now) => cluster.leave(now));
    const look = (): void => {
      if (node.boot !== boot || !node.isUp) return;
      const isDone = !node.isPaused && node.cluster.isEmpty;
      if (!isDone && this.world.now - since < atMostMs) {
        this.world.after(50, look);
        return;
      }
      if (isDone) node.step((cluster) => cluster.bye());
      node.crash();
      this.world.after(1_000, () => {
        this.revive(node);
        then();
      });
    };
    this.world.after(50, look);
  }

  outside(node: SimNode, effect: ClusterEffect): void {
    if (effect.do === "send") this.#send(node, effect);
    else if (effect.do === "cast")
      for (const other of [...this.nodes, ...this.ghosts]) this.#cast(node, other, effect.message);
    else if (effect.do === "replaced") this.world.after(0, () => node.crash());
    else if (effect.do === "request") this.#ask(node, effect.id, effect.request);
    else if (effect.do === "gone") this.#gone(node, effect.peer);
    else tellClient(this, node, effect);
  }

  interrupts(node: SimNode, effect: ClusterEffect): boolean {
    if (effect.do === "begin") this.moves++;
    return aimAtEffect(this, node, effect);
  }

  hasSocket(node: SimNode, key: string): boolean | undefined {
    return this.devices.hasSocket(node, key);
  }

  closeSocket(node: SimNode, key: string): void {
    this.devices.close(node, key);
  }

  #send(node: SimNode, effect: Extract<ClusterEffect, { do: "send" }>): void {
    const { message, to } = effect;
    const record = "call" in message ? this.ledger.calls.get(message.call) : undefined;
    if (record && message.kind === "go") record.goneTo = to.boot;
    else if (record && message.kind === "offer") record.goneTo = undefined;
    if (this.isFaulty && aimAtMessage(this, node, to, effect)) return;
    this.network.send(node.peer, to, message);
  }

  #cast(node: SimNode, other: SimNode, message: Extract<ClusterEffect, { do: "cast" }>["message"]): void {
    if (other !== node && other.isUp) this.network.send(node.peer, { node: other.node, boot: other.boot }, message);
  }

  #ask(node: SimNode, id: number, request: LeaseRequest): void {
    const by = node.peer;
    this.statement(node, request.kind !== "locate", () => {
      const rows = this.#table.execute(by, request);
      this.world.note(() => `${by.node} ${request.kind} ${id}: ${JSON.stringify(rows).slice(0, 400)}`);
      return () => node.step((cluster, now) => (node.boot === by.boot ? cluster.answered(id, rows, now) : []));
    });
  }

  /** A statement on its way to the database, and its answer on the way back. */
  statement(node: SimNode, isAboutLeases: boolean, execute: () => () => void): void {
    const { world, database } = this;
    const usual = { thereMs: world.between(0.5, 3), backMs: world.between(0.5, 3), isDoubled: false };
    if (world.now < (database.cutUntil.get(node.node) ?? 0)) return;
    const passage = (this.isFaulty && aimAtStatement(this, node, isAboutLeases)) || usual;
    if (passage.thereMs === undefined || database.isAway) return;
    world.after(Math.min(passage.thereMs + database.slowMs, this.#untilHealed()), () => {
      if (database.isAway) return;
      const answer = execute();
      const { backMs } = passage;
      if (backMs === undefined || (database.isAway && world.happens(0.5))) return;
      world.after(backMs, answer);
      if (passage.isDoubled) world.after(backMs + world.between(1, 5_000), answer);
    });
  }

  /** What is on its way when all is healed arrives then: it is not late any longer. */
  #untilHealed(): number {
    return this.world.now < HEALED_AT ? HEALED_AT + 5 - this.world.now : Number.POSITIVE_INFINITY;
  }

  /** Whoever said `go` to a node that is known to be gone tells its client within a second. */
  #gone(node: SimNode, peer: Peer): void {
    this.world.note(() => `${node.node} knows that ${peer.node}/${peer.boot} is gone`);
    const { boot } = node;
    const waiting = [...this.ledger.calls.values()].filter((record) => isWaitingFor(record, boot, peer.boot));
    if (waiting.length === 0) return;
    this.world.after(1_000, () => {
      if (node.boot !== boot || !node.isUp || node.isPaused || this.world.now - node.resumedAt < 1_000) return;
      for (const record of waiting)
        if (isWaitingFor(record, boot, peer.boot))
          this.ledger.fail(`${record.plan.call} was not told that its owner is gone`);
    });
  }

  #keepCalling(): void {
    this.world.after(this.world.between(5, this.mode === "faults" ? 250 : 60), () => {
      if (this.world.now > CALLS_UNTIL) return;
      const node = this.anyNode();
      if (node.isUp && !node.isPaused && !node.isLeaving && this.world.now > 5_000) {
        const plan = callNow(this, node);
        cancelLater(this, node, plan);
      }
      this.#keepCalling();
    });
  }

  #keepWriting(): void {
    this.world.after(this.world.between(100, 1_500), () => {
      if (this.world.now > CALLS_UNTIL) return;
      writeNow(this, this.anyNode());
      this.#keepWriting();
    });
  }

  #roll(nodes: readonly SimNode[]): void {
    const [first, ...others] = nodes;
    if (first) this.world.after(3_000, () => this.restartInOrder(first, 60_000, () => this.#roll(others)));
  }

  #heal(): void {
    this.world.note(() => "healed");
    this.isFaulty = false;
    this.network.cut.clear();
    this.network.isAway = false;
    this.network.weather = { loss: 0, late: 0, double: 0 };
    this.database.isAway = false;
    this.database.slowMs = 0;
    this.database.cutUntil.clear();
    for (const node of this.nodes) {
      if (node.isLeaving && this.mode === "faults") node.crash();
      if (node.isUp) node.resume();
      else node.start();
    }
    for (const ghost of this.ghosts) ghost.crash();
    this.tellBus(true);
  }

  /** A key may be without an owner until twelve seconds after all was healed, and later only while it is handed over. */
  #checkOwned(): void {
    for (const key of [...this.keys, ...this.devices.names]) {
      const isOwned = this.nodes.some((node) => this.#worksFor(node, key));
      if (isOwned) this.#ownedAt.set(key, this.world.now);
      const allowed = Math.max(HEALED_AT + OWNED_WITHIN, (this.#ownedAt.get(key) ?? 0) + HANDOVER_MS);
      if (!isOwned && this.world.now > allowed) this.ledger.fail(`${key} has had no owner for too long`);
    }
  }

  #worksFor(node: SimNode, key: string): boolean {
    const epoch = node.children.get(key)?.epoch;
    return node.isUp && epoch !== undefined && node.cluster.isLive(key, epoch, node.local);
  }

  #makeIndex(): Surroundings["index"] {
    const pins = new Map([
      ["key0", ["n0"]],
      ["key1", ["n1", "n2"]],
    ]);
    const free = this.keys.filter((key) => !pins.has(key));
    return {
      inSlot: (slot) => free.filter((key) => slotOf(key) === slot),
      pinned: () => pins,
      pinsOf: (key) => pins.get(key),
      has: (key) => this.keys.includes(key),
    };
  }
}

function isWaitingFor(
  record: { outcome: unknown; boot: string; goneTo: string | undefined },
  entry: string,
  owner: string,
): boolean {
  return !record.outcome && record.boot === entry && record.goneTo === owner;
}
