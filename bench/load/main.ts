/** The load generator: a process of its own, so that nothing of the bench runs between a question and its answer. */
import process from "node:process";
import { HttpSlot, initializeAll, openHttp } from "./http-channel.ts";
import { type Messages, messagesFor } from "./messages.ts";
import type { Load, Numbered, Order, Report, Stretch } from "./protocol.ts";
import type { Channel } from "./slot.ts";
import { openStdio } from "./stdio-channel.ts";
import { runStretch } from "./stretch.ts";
import { openWebSockets } from "./websocket-channel.ts";

interface Opened {
  readonly channel: Channel;
  readonly messages: Messages;
}

const opened = new Map<string, Opened>();

function openChannel(load: Load): Promise<Channel> {
  const { target } = load;
  if (target.kind === "http") return openHttp(target, load);
  return target.kind === "stdio" ? openStdio(target, load) : openWebSockets(target, load);
}

async function open(key: string, load: Load): Promise<null> {
  opened.set(key, { channel: await openChannel(load), messages: messagesFor(load.question) });
  return null;
}

async function run(key: string, seconds: number): Promise<Stretch> {
  const { channel, messages } = known(key);
  const slots = await channel.connect();
  try {
    return await runStretch(slots, messages, seconds);
  } finally {
    for (const slot of slots) slot.close();
  }
}

/** Opens sessions and leaves them alone. */
async function fill(url: string, sessions: number): Promise<null> {
  await initializeAll(() => HttpSlot.connect(new URL(url), undefined, undefined), sessions);
  return null;
}

async function close(key: string): Promise<null> {
  const { channel } = known(key);
  opened.delete(key);
  await channel.close();
  return null;
}

function known(key: string): Opened {
  const found = opened.get(key);
  if (!found) throw new Error(`${key} is not open`);
  return found;
}

function obey(order: Order): Promise<Stretch | null> {
  if (order.order === "open") return open(order.key, order.load);
  if (order.order === "run") return run(order.key, order.seconds);
  return order.order === "fill" ? fill(order.url, order.sessions) : close(order.key);
}

process.on("message", (order: Numbered<Order>) => {
  const report = (said: Report): void => void process.send?.(said);
  obey(order).then(
    (result) => report({ number: order.number, result }),
    (error: Error) => report({ number: order.number, failure: error.message }),
  );
});
// At Ctrl+C the bench ends us when everything else has ended.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit(0));
