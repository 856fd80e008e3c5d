/**
 * Thousands on sockets at one hub with a key, all at once and then idle, plain clients or voice boxes with their tools: what
 * they cost it, how long they take to be there, what another caller notices, and what is left when they have gone.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TOOLS } from "../support/boxes/box.ts";
import type { Who } from "../support/boxes/crowd.ts";
import { Crowds } from "../support/boxes/crowds.ts";
import { residentMb } from "../support/memory.ts";
import { RawClient } from "../support/overload/raw-client.ts";
import { until as isSo } from "../support/processes.ts";
import { PrometheusText } from "../support/prometheus-text.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { makeKey } from "../support/seed-003.ts";
import { openFilesOf } from "../support/sockets.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ROW = 8;
const IS_LONG = sized(0, 1) === 1;
const COUNT = sized(200, 5_000);
const STAY_MS = sized(0, 60_000);
const GIVE_UP_MS = 120_000;
const ROUNDS = sized(1, 25);
/** Rounds at first, whose code is not yet compiled. */
const WARM_ROUNDS = sized(0, 10);

interface World {
  readonly hub: SpawnedZaguan;
  readonly crowds: Crowds;
  readonly http: RpcOverHttp;
  readonly headers: Record<string, string>;
  /** How many of the crowd the hub counts. */
  there(world: World): Promise<number>;
}

describe(`${COUNT} authenticated clients on idle sockets`, () => {
  it("take little room, and all of it is given back", () => room("clients", { totalMb: 200, eachKb: 24 }));

  it("are hardly noticed by one who calls", () =>
    withHub("clients", (world) =>
      withHub("clients", async (empty) => {
        await come(world);
        await sleep(STAY_MS);
        const [median, p99] = await compareLatency(world, empty);
        const seen = `${median.toFixed(2)}, ${p99.toFixed(2)}`;
        figure(ROW, "clients: another caller's median and 99th percentile, of those at an empty hub", seen);
        if (IS_LONG) assert.ok(p99 <= 1.2, seen);
      }),
    ));
});

describe(`${COUNT} authenticated boxes on idle sockets`, () => {
  it("take little room, and all of it is given back", () => room("boxes", { totalMb: 230, eachKb: 28 }));

  it("are hardly noticed by one who calls", () =>
    withHub("boxes", async (world) => {
      await come(world);
      const first = await idleMb(world.hub);
      const median = await withHub("boxes", async (empty) => (await compareLatency(world, empty))[0]);
      figure(ROW, "boxes: another caller's median, of that at an empty hub", median.toFixed(2));
      await leave(world);
      if (!IS_LONG) return;
      // They are still being written into the registry, a tenth of the time.
      assert.ok(median <= 1.5, `${median}`);
      // V8 gives little back, but what those have left must do for the next.
      await come(world);
      const second = await idleMb(world.hub);
      figure(ROW, "boxes: memory of a second crowd, of the first's", (second / first).toFixed(2));
      assert.ok(second / first <= 1.15, `${second} of ${first} MB`);
    }));
});

interface Most {
  readonly totalMb: number;
  readonly eachKb: number;
}

/** Of a hub that has done nothing else. */
function room(who: Who, most: Most): Promise<void> {
  return withHub(who, async (world) => {
    const { hub } = world;
    const [alone, files] = [await idleMb(hub), openFilesOf(hub.pid)];
    const seconds = await come(world);
    const together = await idleMb(hub);
    const each = ((together - alone) * 1_024) / COUNT;
    figure(ROW, `${who}: all are there after`, `${seconds.toFixed(1)} s`);
    figure(ROW, `${who}: memory without and with them`, `${alone} MB, ${together} MB, ${each.toFixed(1)} KiB each`);
    assert.equal(await world.there(world), COUNT, "not all have stayed");
    await leave(world);
    figure(ROW, `${who}: open files before and after`, `${files}, ${openFilesOf(hub.pid)}`);
    await isSo("their files are closed", () => openFilesOf(hub.pid) <= files + 5);
    if (!IS_LONG) return;
    assert.ok(seconds < 10, `${seconds} s`);
    assert.ok(together < most.totalMb, `${together} MB`);
    assert.ok(each < most.eachKb, `${each} KiB`);
  });
}

async function withHub<T>(who: Who, work: (world: World) => Promise<T>): Promise<T> {
  const hub = await spawnZaguan({ config: { auth: { requireKey: true }, log: { level: "error" } } });
  const key = await makeKey(hub, "box");
  const headers = { authorization: `Bearer ${key}` };
  const crowds = new Crowds(hub.url, COUNT, key, who);
  const world = {
    hub,
    crowds,
    http: new RpcOverHttp(hub.url, 1),
    headers,
    there: who === "boxes" ? boxesAt : socketsAt,
  };
  try {
    return await work(world);
  } finally {
    world.crowds.end();
    await world.http.close();
    await hub.stop();
  }
}

/** After a while in which nothing was asked of it. */
async function idleMb(hub: SpawnedZaguan): Promise<number> {
  await sleep(STAY_MS);
  return residentMb(hub.pid);
}

/** In seconds. */
async function come(world: World): Promise<number> {
  const startedAt = performance.now();
  const { compressed, lost } = await world.crowds.come();
  await until(world, COUNT);
  assert.deepEqual([compressed, lost], [0, 0], "sockets that compress, and those that were lost on the way");
  return (performance.now() - startedAt) / 1_000;
}

async function leave(world: World): Promise<void> {
  await world.crowds.leave();
  await until(world, 0);
}

async function until(world: World, count: number): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < GIVE_UP_MS; await sleep(100)) {
    if ((await world.there(world)) === count) return;
  }
  assert.fail("not all came, or not all left");
}

/** How many boxes are there with all their tools; -1 while some have not told theirs. */
async function boxesAt({ http, headers }: World): Promise<number> {
  const { text } = await http.get("/health", headers);
  const { sources } = JSON.parse(text) as { sources: readonly { kind: string; state: string; tools: number }[] };
  const boxes = sources.filter(({ kind }) => kind === "device");
  return boxes.every(({ state, tools }) => state === "ready" && tools === TOOLS.length) ? boxes.length : -1;
}

async function socketsAt({ http, headers }: World): Promise<number> {
  const { text } = await http.get("/metrics", headers);
  return new PrometheusText(text).sum("zaguan_open", { what: "sockets" });
}

/**
 * The median and the 99th percentile at one hub over those at another, as the middle of many rounds. The two are called in turns:
 * a machine that is slower for some minutes, as shared ones are, is slower for both.
 */
async function compareLatency(world: World, empty: World): Promise<readonly [median: number, p99: number]> {
  const [full, other] = [new RoundCaller(world), new RoundCaller(empty)];
  const ratios: (readonly [number, number])[] = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    const [crowded, alone] = [await full.round(), await other.round()];
    if (round >= WARM_ROUNDS) ratios.push([crowded[0] / alone[0], crowded[1] / alone[1]]);
  }
  for (const caller of [full, other]) caller.close();
  const middle = (which: 0 | 1): number =>
    at(
      ratios.map((ratio) => ratio[which]),
      0.5,
    );
  return [middle(0), middle(1)];
}

/** One caller, one call after another. */
class RoundCaller {
  readonly #client: RawClient;
  readonly #request: string;

  constructor({ hub, headers }: World) {
    const { port, host } = new URL(hub.url);
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_presence","arguments":{}}}';
    const head = ["POST /mcp HTTP/1.1", `host: ${host}`, `authorization: ${headers["authorization"]}`];
    this.#request = [...head, "content-type: application/json", `content-length: ${body.length}`, "", body].join(
      "\r\n",
    );
    this.#client = new RawClient(Number(port));
  }

  /** The median and the 99th percentile, in milliseconds. */
  async round(): Promise<readonly [median: number, p99: number]> {
    const taken: number[] = [];
    for (let call = 0; call < 200; call++) {
      const startedAt = performance.now();
      assert.equal((await this.#client.send(this.#request)).status, 200);
      taken.push(performance.now() - startedAt);
    }
    await sleep(IS_LONG ? 100 : 0);
    return [at(taken, 0.5), at(taken, 0.99)];
  }

  close(): void {
    this.#client.close();
  }
}

function at(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
