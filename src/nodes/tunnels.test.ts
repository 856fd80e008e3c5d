/** Connections between nodes, with a bus that loses, delays and refuses what a test wants. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { until } from "../../test/support/processes.ts";
import type { Peer } from "../cluster/peer.ts";
import { ZaguanError } from "../errors.ts";
import { type Tunnel, type TunnelMessage, Tunnels } from "./tunnels.ts";

const HERE: Peer = { node: "here", boot: "1" };
const THERE: Peer = { node: "there", boot: "2" };

describe("a tunnel", () => {
  let here: Tunnels;
  let there: Tunnels;
  let accepted: { readonly tunnel: Tunnel; readonly about: unknown }[];
  /** Whether a message arrives; false where it is lost on its way. */
  let arrives: (message: TunnelMessage) => boolean;
  let isSent: boolean;
  let sent: TunnelMessage[];
  beforeEach(() => {
    accepted = [];
    sent = [];
    isSent = true;
    arrives = () => true;
    // What is still under way at the end of a test arrives at the nodes of that test.
    const ends: { here?: Tunnels; there?: Tunnels } = {};
    const carry = (to: "here" | "there", from: Peer) => (_peer: Peer, message: TunnelMessage) => {
      if (!isSent) return false;
      sent.push(message);
      if (arrives(message)) setImmediate(() => ends[to]?.received(from, JSON.parse(JSON.stringify(message))));
      return true;
    };
    const take = (tunnel: Tunnel, about: unknown): void => void accepted.push({ tunnel, about });
    here = ends.here = new Tunnels({ self: HERE, send: carry("there", HERE), accept: take });
    there = ends.there = new Tunnels({ self: THERE, send: carry("here", THERE), accept: take });
  });
  afterEach(() => {
    here.close();
    there.close();
    mock.timers.reset();
  });

  async function connect(): Promise<[Tunnel, Tunnel]> {
    const tunnel = await here.open(THERE, { what: "for" });
    const other = accepted[0];
    assert.deepEqual(other?.about, { what: "for" });
    return [tunnel, other?.tunnel as Tunnel];
  }

  it("carries bytes in both directions, and is gone when both have ended", async () => {
    const [one, other] = await connect();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
    one.end(bytes);
    other.end("¡hola!");
    const [asked, answered] = await Promise.all([all(other), all(one)]);
    assert.deepEqual([asked, answered.toString()], [bytes, "¡hola!"]);
    await until("nothing is left", () => here.size + there.size === 0);
  });

  it("holds back who writes more than the other reads", async () => {
    const [one, other] = await connect();
    const large = Buffer.alloc(8_000_000, "x");
    const written = new Promise((resolve) => one.end(large, () => resolve("written")));
    assert.equal((await all(other)).length, large.length);
    assert.equal(await written, "written");
  });

  it("never has more than a window under way that nobody reads", async () => {
    const [one, other] = await connect();
    let written = 0;
    for (let n = 0; n < 100; n++) one.write(Buffer.alloc(65_536), () => written++);
    await until("it stands still", () => written > 0 && one.writableLength > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(written <= 9, `${written} of 100 pieces were taken`);
    other.resume();
    await until("all of it is taken", () => written === 100);
  });

  it("breaks at both ends where a message was lost", async () => {
    const [one, other] = await connect();
    let count = 0;
    arrives = (message) => message.do !== "data" || ++count !== 2;
    for (const piece of ["a", "b", "c"]) {
      one.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until("both are broken", () => one.destroyed && other.destroyed);
    assert.deepEqual([one.errored?.message, other.errored?.message].map(Boolean), [true, true]);
  });

  it("breaks when the other node is gone, and not for another run of it", async () => {
    const [one] = await connect();
    here.gone({ node: THERE.node, boot: "other" });
    assert.equal(one.destroyed, false);
    here.gone(THERE);
    assert.equal(one.destroyed, true);
  });

  it("is refused as not sent where nothing leaves, where nobody answers, and where the node goes meanwhile", async () => {
    isSent = false;
    await assert.rejects(here.open(THERE, {}), isNotSent);
    isSent = true;
    arrives = () => false;
    const opening = here.open(THERE, {});
    here.gone(THERE);
    await assert.rejects(opening, isNotSent);
    mock.timers.enable({ apis: ["setTimeout"] });
    const waiting = here.open(THERE, {});
    mock.timers.tick(5_000);
    await assert.rejects(waiting, isNotSent);
    assert.equal(here.size, 0);
  });

  it("that the other does not know is told so, once", async () => {
    const [one, other] = await connect();
    arrives = () => false;
    other.destroy();
    arrives = () => true;
    one.write("late");
    await until("it is told", () => one.destroyed);
    assert.deepEqual(
      sent.slice(-2).map((message) => message.do),
      ["data", "reset"],
    );
  });

  it("is read to its end though the other has gone by then", async () => {
    const [one, other] = await connect();
    other.end("all of it");
    await once(other, "finish");
    other.destroy();
    await until("it is told", () => sent.at(-1)?.do === "reset");
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal((await all(one)).toString(), "all of it");
    one.end("nobody reads it");
    await until("nothing is left", () => here.size + there.size === 0);
  });

  it("tells of silence as a socket does", async () => {
    const [one] = await connect();
    mock.timers.enable({ apis: ["setTimeout"] });
    let count = 0;
    one.setTimeout(1_000, () => count++);
    mock.timers.tick(999);
    assert.equal(count, 0);
    mock.timers.tick(1);
    assert.equal(count, 1);
  });

  it("is what Node's HTTP takes for a socket", async () => {
    const server = createServer(async (asked, response) => {
      response.end(`${asked.method} ${await text(asked)} ${"y".repeat(3_000_000)}`);
    });
    const tunnel = await here.open(THERE, { what: "for" });
    server.emit("connection", accepted[0]?.tunnel);
    const response = await new Promise<Parameters<typeof text>[0]>((resolve, reject) => {
      const options = { method: "POST", path: "/", headers: { connection: "close" } };
      const asked = request({ ...options, createConnection: () => tunnel as never }, resolve);
      asked.on("error", reject).end("z".repeat(2_000_000));
    });
    const answer = await text(response);
    assert.equal(answer.length, "POST ".length + 2_000_000 + 1 + 3_000_000);
    await until("nothing is left", () => here.size + there.size === 0);
  });
});

async function all(tunnel: Tunnel): Promise<Buffer> {
  const chunks: Buffer[] = [];
  tunnel.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(tunnel, "end");
  return Buffer.concat(chunks);
}

function isNotSent(cause: unknown): boolean {
  return cause instanceof ZaguanError && cause.details.delivery === "not_sent";
}
