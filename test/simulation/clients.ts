/** Those who use the cluster of a history: clients that call and write, and devices that dial. */
import type { ClusterEffect } from "../../src/cluster/cluster-node.ts";
import type { History } from "./history.ts";
import type { CallPlan } from "./ledger.ts";
import type { SimNode } from "./sim-node.ts";

/** How late the end of a call may be told: a tick, and the wait for it. */
const LATE_MS = 200;

export function callNow(history: History, node: SimNode): CallPlan {
  const { world, ledger } = history;
  const questions = world.happens(0.15) ? world.random.int(3) : 0;
  const plan: CallPlan = {
    call: `c${ledger.calls.size + 1}`,
    key: world.random.pick([...history.keys, ...history.devices.names]),
    runMs: world.happens(0.1) ? world.between(500, 6_000) : world.between(1, 80),
    questions,
    regretMs: questions > 0 && world.happens(0.3) ? world.between(1, 1_500) : undefined,
    notes: world.random.int(3),
    length: world.happens(0.02) ? world.random.int(2_000_000) : 20,
    isUnlucky: world.happens(0.1),
    cancelAfterMs: history.mode === "faults" && world.happens(0.05) ? world.between(0, 2_000) : undefined,
  };
  // Where nothing goes wrong, nothing may fail for want of time.
  const leftMs = history.mode === "faults" ? world.between(1_000, 15_000) : 30_000;
  ledger.calls.set(plan.call, {
    plan,
    node: node.node,
    boot: node.boot,
    startedAt: world.now,
    deadlineAt: world.now + leftMs * 1.01,
    executions: 0,
    outcome: undefined,
    isOrphan: false,
    goneTo: undefined,
    asked: 0,
  });
  world.note(() => `${node.node} is called: ${plan.call} ${plan.key}, ${Math.round(leftMs)} ms`);
  const { call, key } = plan;
  node.step((cluster, now) => cluster.call({ call, key, leftMs, body: JSON.stringify(plan) }, now));
  return plan;
}

export function cancelLater({ world }: History, node: SimNode, { call, cancelAfterMs }: CallPlan): void {
  if (cancelAfterMs === undefined) return;
  const { boot } = node;
  world.after(cancelAfterMs, () => {
    if (node.boot === boot && node.isUp) node.step((cluster, now) => cluster.cancel(call, now));
  });
}

/** What a node has for one of its clients. */
export function tellClient(history: History, node: SimNode, effect: ClusterEffect): void {
  const { ledger, world } = history;
  if (effect.do === "ended") {
    const record = ledger.calls.get(effect.call) ?? ledger.fail(`${effect.call} was never made`);
    if (record.boot !== node.boot) ledger.fail(`${effect.call} of another node has ended at ${node.node}`);
    world.note(() => `${node.node} tells ${effect.call}: ${JSON.stringify(effect.outcome).slice(0, 100)}`);
    const dueAt = Math.max(record.deadlineAt, node.resumedAt) + LATE_MS;
    ledger.ends(effect.call, effect.outcome, world.now - dueAt);
  } else if (effect.do === "ask") {
    if (effect.text.split(" ")[0] !== effect.call) ledger.fail(`${effect.call} was asked another's question`);
    if (ledger.calls.get(effect.call)?.boot !== node.boot) ledger.fail(`${effect.call} was asked at another node`);
    answerSoon(history, node, effect.call, effect.question, effect.text);
  } else if (effect.do === "withdraw") {
    const { call, question } = effect;
    world.after(0, () => node.step((cluster, now) => cluster.answer(call, question, "it was withdrawn", now)));
  } else if ((effect.do === "progress" || effect.do === "log") && effect.text !== effect.call)
    ledger.fail(`${effect.call} heard of another's progress`);
}

function answerSoon({ world }: History, node: SimNode, call: string, question: number, asked: string): void {
  const { boot } = node;
  world.after(world.between(1, 1_500), () => {
    if (node.boot === boot && node.isUp)
      node.step((cluster, now) => cluster.answer(call, question, `answer to ${asked}`, now));
  });
}

/** A write to the registry: confirmed to its client when the database has answered. */
export function writeNow(history: History, node: SimNode): void {
  if (!node.isUp || node.isPaused) return;
  const { boot } = node;
  const write = `w${Math.round(history.world.now * 1_000)}`;
  history.statement(node, false, () => {
    history.database.writes.add(write);
    return () =>
      node.step(() => {
        if (node.boot === boot) history.ledger.writes.add(write);
        return [];
      });
  });
}

interface Socket {
  readonly node: SimNode;
  readonly boot: string;
}

const PING_MS = 3_000;

/** Two devices, each with at most one socket that counts: its newest. */
export class Devices {
  readonly names: readonly string[] = ["device0", "device1"];
  readonly #history: History;
  readonly #sockets = new Map<string, Socket>();

  constructor(history: History) {
    this.#history = history;
  }

  start(): void {
    for (const name of this.names) this.#keepDialled(name);
  }

  /** Undefined for what is no device. */
  hasSocket(node: SimNode, key: string): boolean | undefined {
    if (!this.names.includes(key)) return undefined;
    const socket = this.#sockets.get(key);
    return socket?.node === node && socket.boot === node.boot;
  }

  /** The device sees its socket closed and dials again. */
  close(node: SimNode, key: string): void {
    if (!this.hasSocket(node, key)) return;
    this.#sockets.delete(key);
    const { world } = this.#history;
    world.after(world.between(100, 1_000), () => (this.#sockets.has(key) ? undefined : this.#dial(key)));
  }

  /** Moves to another node without a word to the first. */
  redial(): void {
    this.#dial(this.#history.world.random.pick(this.names));
  }

  #keepDialled(name: string): void {
    const { world } = this.#history;
    const socket = this.#sockets.get(name);
    const isDead = !socket?.node.isUp || socket.node.boot !== socket.boot || socket.node.isPaused;
    if (isDead) this.#dial(name);
    world.after(isDead ? 500 : world.between(PING_MS / 2, PING_MS), () => this.#keepDialled(name));
  }

  #dial(name: string): void {
    const { world, nodes } = this.#history;
    const ready = nodes.filter((node) => node.isUp && !node.isPaused && !node.isLeaving);
    if (ready.length === 0) return;
    const node = world.random.pick(ready);
    const old = this.#sockets.get(name);
    world.note(() => `${name} dials ${node.node}`);
    this.#sockets.set(name, { node, boot: node.boot });
    // The old holder notices the broken socket sooner or later, or not at all.
    if (old && old.node !== node && world.happens(0.5))
      world.after(world.between(10, 5_000), () => {
        if (old.node.boot === old.boot && !this.hasSocket(old.node, name))
          old.node.step((cluster, now) => cluster.hungUp(name, now));
      });
    node.step((cluster, now) => cluster.dialled(name, now));
  }
}
