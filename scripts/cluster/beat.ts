/** Measures what a heartbeat costs its sender and each receiver: encryption, decoding, and the work of the state machine. */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "../../src/bus/bus.ts";
import { parseSecrets } from "../../src/bus/cluster-secret.ts";
import { openBus } from "../../src/bus/nats-bus.ts";
import { type ClusterMessage, ClusterNode } from "../../src/cluster/cluster-node.ts";
import type { KeyIndex } from "../../src/cluster/shares.ts";
import type { BeatFigures } from "./figures.ts";

const BEATS = 20_000;
/** How many beats are sent between two turns of the event loop. */
const AT_ONCE = 50;
const SECRETS = parseSecrets("Zq3vT8mK1xR6wB9nD4sF7hJ2pL5cY0gA", "the measurement");
const EMPTY: KeyIndex = { inSlot: () => [], pinned: () => [], pinsOf: () => undefined, has: () => false };

export async function measureBeat(servers: string): Promise<BeatFigures> {
  const open = (node: string): Promise<Bus> => openBus({ node, nats: { servers }, secrets: SECRETS, prefix: "beats" });
  const sender = await open("sender");
  await beats(sender);
  const sendMicroseconds = await beats(sender);
  const hearer = await open("hearer");
  const machine = new ClusterNode({ self: { node: "hearer", boot: "1" }, index: EMPTY });
  let heard = 0;
  hearer.listen(({ node }, text) => {
    const { boot, message } = JSON.parse(text) as { boot: string; message: ClusterMessage };
    machine.received({ node, boot }, message, performance.now());
    heard++;
  });
  const both = await beats(sender, () => heard);
  await Promise.all([sender.close(), hearer.close()]);
  return { sendMicroseconds, hearMicroseconds: both - sendMicroseconds };
}

/** Processor time of this process per beat, in microseconds. */
async function beats(bus: Bus, heard?: () => number): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 1; count <= BEATS; count++) {
    const message = { kind: "beat", count, weight: 1, load: 12.345_678_901_234, nextMs: 250 };
    bus.cast(JSON.stringify({ boot: "0000001763456789", message }));
    if (count % AT_ONCE === 0) await (heard ? until(() => heard() >= count) : sleep(0));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / BEATS;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(0);
}
