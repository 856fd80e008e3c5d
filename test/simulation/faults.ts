/**
 * What goes wrong, and when. Half of it happens at random moments; the other half is aimed at a message or a statement on its
 * way, because the rare orders of events that matter lie there: a `go` that comes after its lease, an answer that finds its
 * process stopped. Some histories have many faults and some few, since a fault may hide what another would have shown.
 */
import type { ClusterEffect } from "../../src/cluster/cluster-node.ts";
import type { Peer } from "../../src/cluster/peer.ts";
import type { History } from "./history.ts";
import { CALM } from "./network.ts";
import type { SimNode } from "./sim-node.ts";

type Fault = (history: History) => void;

/** The list of faults at random moments; those that stand there twice are more frequent. */
const RANDOM: readonly Fault[] = [
  (h) => crash(h, h.anyNode()),
  (h) => crash(h, h.anyNode()),
  (h) => pause(h, h.anyNode(), h.world.between(300, 20_000)),
  (h) => pause(h, h.anyNode(), h.world.between(300, 20_000)),
  (h) => partition(h, h.anyNode()),
  (h) => cutOneWay(h),
  (h) => busAway(h),
  (h) => databaseAway(h, h.world.between(1_000, 14_000)),
  (h) => databaseAway(h, h.world.between(500, 4_000)),
  (h) => databaseSlow(h),
  (h) => storm(h),
  (h) => storm(h),
  (h) => h.restartInOrder(h.anyNode()),
  (h) => h.redial(),
  (h) => childDies(h.anyNode()),
  (h) => replace(h, h.anyNode()),
  (h) => h.database.stallsNext.add(h.anyNode().node),
];

const AIMED_AT: ReadonlySet<string> = new Set([
  "offer",
  "ready",
  "go",
  "end",
  "part",
  "void",
  "no",
  "ask",
  "withdraw",
  "answer",
  "owned",
  "released",
]);

export function scheduleFaults(history: History, from: number, until: number): void {
  const { world } = history;
  const next = (): void => {
    if (world.now >= until) return;
    history.faults++;
    world.random.pick(RANDOM)(history);
    world.after(world.between(200, 4_000) * history.calmness, next);
  };
  world.after(from + world.between(0, 2_000) - world.now, next);
}

/** Aims at a message: true where it has been taken care of. */
export function aimAtMessage(
  history: History,
  from: SimNode,
  to: Peer,
  effect: Extract<ClusterEffect, { do: "send" }>,
): boolean {
  const { world, network } = history;
  const { message } = effect;
  if ("call" in message && history.ledger.calls.get(message.call)?.plan.isUnlucky && world.happens(0.4)) {
    history.faults++;
    // Lost, late, or doubled with the second one late.
    const fate = world.random.int(3);
    if (fate > 0) network.sendLate(from.peer, to, message, world.between(1, world.happens(0.5) ? 600 : 4_000));
    return fate < 2;
  }
  if (!AIMED_AT.has(message.kind) || !world.happens(0.01 / history.calmness)) return false;
  history.faults++;
  const receiver = history.nodeOf(to.node);
  switch (world.random.int(8)) {
    case 0:
      return true;
    case 1:
      network.sendLate(from.peer, to, message, world.between(300, 15_000));
      return true;
    case 2:
      network.sendLate(from.peer, to, message, world.between(1, 15_000));
      return false;
    case 3:
      pause(history, receiver, world.between(500, 20_000));
      return false;
    case 4:
      crash(history, receiver);
      return false;
    case 5:
      world.after(0, () => pause(history, from, world.between(500, 20_000)));
      return false;
    case 6:
      world.after(0, () => crash(history, from));
      return false;
    default:
      world.after(world.between(0, 3), () => partition(history, receiver));
      return false;
  }
}

/** How a statement fares: undefined where it, or its answer, is lost. */
export interface Passage {
  readonly thereMs: number | undefined;
  readonly backMs: number | undefined;
  readonly isDoubled: boolean;
}

export function aimAtStatement(history: History, by: SimNode, isAboutLeases: boolean): Passage | undefined {
  const { world } = history;
  if (isAboutLeases && history.database.stallsNext.delete(by.node)) return stall(history, by, world.between(0.5, 3));
  if (!world.happens((isAboutLeases ? 0.08 : 0.02) / history.calmness)) return undefined;
  history.faults++;
  const [there, back] = [world.between(0.5, 3), world.between(0.5, 3)];
  switch (world.random.int(8)) {
    case 0:
      return { thereMs: undefined, backMs: undefined, isDoubled: false };
    case 1:
      return { thereMs: there, backMs: undefined, isDoubled: false };
    case 2:
      return { thereMs: world.between(500, 6_000), backMs: back, isDoubled: false };
    case 3:
      return { thereMs: there, backMs: world.between(500, 9_500), isDoubled: false };
    case 4:
      return { thereMs: there, backMs: back, isDoubled: true };
    case 5:
      return stall(history, by, there);
    case 6:
      world.after(there, () => pause(history, by, world.between(2_000, 20_000)));
      return { thereMs: there, backMs: back + there, isDoubled: false };
    default:
      world.after(there, () => crash(history, by));
      return { thereMs: there, backMs: back + there, isDoubled: false };
  }
}

/** One node's network hangs: this statement is executed and answered late, and for a while nothing else gets through. */
function stall(history: History, by: SimNode, thereMs: number): Passage {
  const { world, database } = history;
  const backMs = world.between(1_000, 6_000);
  const wholeMs = backMs + world.between(2_000, 12_000);
  database.cutUntil.set(by.node, world.now + wholeMs);
  partition(history, by, wholeMs);
  return { thereMs, backMs, isDoubled: false };
}

/** Stops a process between two of the things it was about to do. */
export function aimAtEffect(history: History, node: SimNode, effect: ClusterEffect): boolean {
  const isWorthIt = effect.do === "begin" || effect.do === "execute" || effect.do === "end" || effect.do === "deadline";
  if (!history.isFaulty || !history.world.happens((isWorthIt ? 0.003 : 0.0001) / history.calmness)) return false;
  history.faults++;
  pause(history, node, history.world.between(500, 20_000));
  return node.isPaused;
}

export function crash(history: History, node: SimNode): void {
  if (!history.isFaulty || !node.isUp) return;
  node.crash();
  history.world.after(history.world.between(300, 8_000), () => history.revive(node));
}

function pause(history: History, node: SimNode, ms: number): void {
  if (!history.isFaulty || !node.isUp || node.isPaused) return;
  const { boot } = node;
  node.pause();
  history.world.after(ms, () => (node.boot === boot ? node.resume() : undefined));
}

function replace(history: History, node: SimNode): void {
  if (!node.isUp || node.isLeaving) return;
  history.replace(node);
  history.world.after(history.world.between(500, 20_000), () => node.resume());
}

function childDies(node: SimNode): void {
  const [life] = node.children.values();
  if (life) node.childDies(life);
}

function partition(history: History, node: SimNode, ms = history.world.between(300, 8_000)): void {
  const pairs = history.nodes.flatMap((other) =>
    other === node ? [] : [`${node.node}>${other.node}`, `${other.node}>${node.node}`],
  );
  cut(history, pairs, ms);
}

function cutOneWay(history: History): void {
  const [from, to] = [history.anyNode(), history.anyNode()];
  if (from !== to) cut(history, [`${from.node}>${to.node}`], history.world.between(300, 8_000));
}

function cut({ world, network, isFaulty }: History, pairs: readonly string[], ms: number): void {
  if (!isFaulty) return;
  world.note(() => `cut ${pairs.join(" ")}`);
  for (const pair of pairs) network.cut.add(pair);
  world.after(ms, () => {
    for (const pair of pairs) network.cut.delete(pair);
  });
}

function busAway(history: History): void {
  const { world, network } = history;
  world.note(() => "the bus is away");
  network.isAway = true;
  const told = world.between(0, 2_500);
  const gone = world.between(500, 8_000);
  if (told < gone) world.after(told, () => history.tellBus(!network.isAway));
  world.after(gone, () => {
    network.isAway = false;
    history.tellBus(true);
  });
}

function databaseAway({ world, database }: History, ms: number): void {
  world.note(() => "the database is away");
  database.isAway = true;
  world.after(ms, () => {
    database.isAway = false;
  });
}

function databaseSlow({ world, database }: History): void {
  database.slowMs = world.between(100, 3_000);
  world.after(world.between(1_000, 8_000), () => {
    database.slowMs = 0;
  });
}

function storm({ world, network }: History): void {
  network.weather = { loss: world.between(0, 0.2), late: world.between(0, 0.2), double: world.between(0, 0.1) };
  world.after(world.between(1_000, 10_000), () => {
    network.weather = CALM;
  });
}
