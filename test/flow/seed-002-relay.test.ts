/**
 * The self-hosted relay with its own ids between a real hub and robots: what a robot asks is answered to that robot, byte
 * for byte under its id. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { EVICTED, Relay, type Robot } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { LARGE_TOOL, startManyTools } from "../support/many-tools.ts";
import { until } from "../support/processes.ts";
import type { StandIn } from "../support/registry-servers.ts";
import {
  CONNECTED,
  cloud,
  endpointStatus,
  type OpenHub,
  openHub,
  sizeOf,
  untilListed,
  xiaozhi,
} from "../support/seed-002.ts";

const TOKEN = "c2luZ2xlX21vZHVsZQ==";
const CLIENT = { name: "XiaozhiMCPEndpointClient", version: "1.0.0" };
const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: CLIENT },
};
const PRESENCE = { name: "get_presence", arguments: {} };

let relay: Relay;
let many: StandIn;
let house: OpenHub;
let robot: Robot;
before(async () => {
  relay = await Relay.start(TOKEN);
  many = await startManyTools(60);
  const mcpServers = { many: { url: many.url, zaguan: { allowPrivate: true } } };
  house = await openHub({ mcpServers, ...xiaozhi(cloud(relay.toolUrl(TOKEN))) });
  await untilListed(house.http, LARGE_TOOL);
  await relay.served(TOKEN);
  robot = await relay.robot(TOKEN);
});
after(async () => {
  await robot?.close();
  await house?.hub.stop();
  await many?.close();
  await relay?.close();
});

describe("a robot", () => {
  it("greets and lists back to back without waiting, and follows every page under one id", async () => {
    const from = robot.frames.all.length;
    robot.send(INITIALIZE);
    robot.send({ method: "notifications/initialized" });
    robot.send({ id: 2, method: "tools/list" });
    assert.equal((await robot.frames.answer(1, from)).payload.result.protocolVersion, "2024-11-05");
    const pages: Message[] = [(await robot.frames.answer(2, from)).payload.result];
    while (pages.at(-1).nextCursor !== undefined) {
      const params = { cursor: pages.at(-1).nextCursor };
      pages.push((await robot.ask({ id: 2, method: "tools/list", params })).payload.result);
    }
    const names = pages.flatMap(({ tools }) => tools.map(({ name }: Message) => name));
    assert.deepEqual(names.toSorted(), (await house.http.names("/mcp")).toSorted());
    for (const page of pages) assert.ok(sizeOf(page) <= 8_000 || page.tools.length === 1);
  });

  it("may ask with params that are null, and read the first page only", async () => {
    const { payload } = await robot.ask({ id: 3, method: "tools/list", params: null });
    assert.ok(payload.result.tools.length > 0, JSON.stringify(payload));
  });

  it("gets its answer under the id that it gave, number or text", async () => {
    for (const id of [7, "7", "a_s_b", "x_n_1", "ünï ☎", " ", "null"]) {
      const { payload } = await robot.ask({ id, method: "tools/call", params: PRESENCE });
      assert.strictEqual(payload.id, id);
      assert.notEqual(payload.result.isError, true);
    }
    const rewritten = relay.passed.map(({ id }) => id).filter((id) => typeof id === "string");
    assert.ok(rewritten.every((id) => /^[0-9a-f-]{36}_[ns]_/.test(id)));
  });

  it("with an id that counts as none is answered to the relay, under the same id", async () => {
    for (const id of [0, ""]) {
      const before = relay.dropped.length;
      robot.send({ id, method: "ping" });
      await until("the relay has it", () => relay.dropped.length > before);
      assert.deepEqual(relay.dropped.at(-1), { jsonrpc: "2.0", id, result: {} });
    }
  });

  it("is one of several, and each gets its own answers", async () => {
    const robots = await Promise.all([1, 2, 3].map(() => relay.robot(TOKEN)));
    const params = (number: number) => ({ name: `no_such_${number}`, arguments: {} });
    const asking = robots.map((one, number) => one.ask({ id: 1, method: "tools/call", params: params(number) }));
    const said = (await Promise.all(asking)).map(({ payload }) => JSON.stringify(payload).match(/no_such_\d/g));
    for (const [number, names] of said.entries()) assert.deepEqual([...new Set(names)], [`no_such_${number}`]);
    for (const one of robots) {
      assert.equal(one.frames.all.length, 1);
      await one.close();
    }
  });

  it("that leaves before its answer harms nobody", async () => {
    const short = await relay.robot(TOKEN);
    short.send({ id: 1, method: "tools/call", params: PRESENCE });
    await short.close();
    assert.deepEqual((await robot.ask({ id: 1, method: "ping" })).payload.result, {});
  });
});

describe("another tool side with the same token", () => {
  it("evicts us: we do not fight over it, and the log and the status say why", async () => {
    const ours = relay.toolSides.at(-1);
    const dials = relay.dials.length;
    const logged = house.logged().length;
    const rival = new WebSocket(relay.toolUrl(TOKEN));
    await once(rival, "open");
    const { code, reason } = (await ours?.frames.closed) ?? {};
    assert.deepEqual({ code, reason }, EVICTED);
    await until("the log warns", () => /"level":"(?:warn|error)"/.test(house.logged().slice(logged)));
    await sleep(10_000);
    assert.equal(relay.dials.length - dials, 1, "only the other has dialled");
    assert.notEqual((await endpointStatus(house.http))[0]?.state, CONNECTED);
    rival.terminate();
  });
});
