/**
 * Malformed messages at every door: nothing ends the process, every well-formed request is answered once under its id,
 * and memory stays. Row 1 of the scorecard.
 */
import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { dialFirmware } from "../support/devices/index.ts";
import { API_PLACES, assertApiAnswer, describeEchoes, forgetMade } from "../support/fuzz-apis.ts";
import { assertBridgeAnswer, BRIDGE_PATHS, bridgeHeaders } from "../support/fuzz-bridge.ts";
import { LINE_CORPUS, RPC_CORPUS } from "../support/fuzz-corpus.ts";
import { DeviceFuzz } from "../support/fuzz-device.ts";
import { assertHttpAnswer, randomHeaders } from "../support/fuzz-http.ts";
import { type LineDialect, LineFuzz } from "../support/fuzz-lines.ts";
import { SocketFuzz } from "../support/fuzz-socket.ts";
import { LineChild } from "../support/line-child.ts";
import { residentMb } from "../support/memory.ts";
import { mutate } from "../support/mutator.ts";
import { throwGarbage } from "../support/raw-garbage.ts";
import { readLine, readRpc } from "../support/readings.ts";
import { inFlight, RpcOverHttp, type RpcReply } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { Random, SEED } from "../support/seed.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { WeatherApi } from "../support/weather-api.ts";

const MESSAGES = sized(600, 100_000);
/** At the doors that the row does not name. */
const FEWER = sized(600, 20_000, 100_000);
const CONNECTIONS = sized(400, 20_000);
const GROWTH_MB = 50;
/** The hub collects its garbage when it has rested for two seconds; so few messages as in the short form leave little. */
const REST_MS = sized(0, 4_000);
/** What comes and goes by the thousand must not stay: little memory is given, so that nothing of it is put off. */
const SMALL = "--max-old-space-size=96 --max-semi-space-size=4";
/** Most of its time goes to devices that come and go. */
const DEVICE_SHARE = 0.2;
/** A tool of the device that behaves. */
const THEME = "self.screen.set_theme";

const RPC_LINES: LineDialect = {
  corpus: RPC_CORPUS,
  read: readRpc,
  probe: (id) => ({ jsonrpc: "2.0", id, method: "ping" }),
  isAnswer: (message) => !("method" in message),
  isInternalError: (message) => JSON.stringify(message).includes('"code":"INTERNAL"'),
};

const SEED_000_LINES: LineDialect = {
  corpus: LINE_CORPUS,
  read: readLine,
  probe: (id) => ({ type: "call", id, tool: "get_alarm_status", args: {} }),
  isAnswer: (message) => message["type"] !== "ready",
  isInternalError: (message) => /Error interno|Internal error/.test(String(message["error"])),
};

const survived: { readonly door: string; readonly count: number; readonly grownMb: number }[] = [];

describe(`${MESSAGES} malformed messages at each door (ZAGUAN_SEED=${SEED})`, () => {
  const doors = [
    ["zaguan stdio", ["stdio"], RPC_LINES, MESSAGES],
    ["zaguan simulate --mcp", ["simulate", "--mcp"], SEED_000_LINES, FEWER],
    ["zaguan stdio --line", ["stdio", "--line", "--lang", "es"], SEED_000_LINES, FEWER],
  ] as const;

  after(() => {
    const total = survived.reduce((sum, { count }) => sum + count, 0);
    const most = survived.toSorted((one, other) => other.grownMb - one.grownMb)[0];
    figure(1, "malformed messages survived", `${total.toLocaleString("en")} at ${survived.length} doors`);
    figure(1, "memory grew at most by", `${most?.grownMb} MB (${most?.door})`);
  });

  for (const [name, args, dialect, count] of doors) {
    it(`are survived by ${name}, ${count} of them`, async (t) => {
      const child = new LineChild(args);
      try {
        const grownMb = await new LineFuzz(child, dialect, new Random()).run(count);
        assertGrowth(t, count, grownMb);
        assert.equal(await child.end(), 0, child.stderr.slice(-1_000));
        assert.doesNotMatch(child.stderr, /\n {4}at |[Uu]nhandled/);
      } finally {
        child.kill();
      }
    });
  }

  describe("over HTTP", () => {
    let hub: SpawnedZaguan | undefined;

    before(async () => {
      hub = await spawnZaguan();
    });
    after(() => hub?.stop());

    it("are survived by POST /mcp, with and without a session", async (t) => {
      assert.ok(hub);
      const client = new RpcOverHttp(hub.url, 16);
      const session = await openSession(client);
      const random = new Random();
      const grownMb = await grownBy(hub, MESSAGES, 16, async (n) => {
        const body = mutate(random, random.pick(RPC_CORPUS)(n));
        const headers = randomHeaders(random, session);
        const answer = await client.send("POST", random.chance(10) ? "/" : "/mcp", body, headers.sent);
        assertHttpAnswer(body, headers, answer);
      });
      assertGrowth(t, MESSAGES, grownMb);
      await assertHealthy(client, hub);
    });

    it("are survived by the bridge, with and without a session", async (t) => {
      assert.ok(hub);
      const client = new RpcOverHttp(hub.url, 16);
      const session = await openBridgeSession(client);
      const random = new Random();
      const grownMb = await grownBy(hub, FEWER, 16, async (n) => {
        const body = mutate(random, random.pick(RPC_CORPUS)(n));
        const headers = bridgeHeaders(random, session);
        const answer = await client.send("POST", random.pick(BRIDGE_PATHS), body, headers.sent);
        assertBridgeAnswer(body, headers, answer);
      });
      assertGrowth(t, FEWER, grownMb);
      await assertHealthy(client, hub);
    });

    describe("where REST APIs become tools and are called", () => {
      let weather: WeatherApi | undefined;
      before(async () => {
        weather = await WeatherApi.start();
        const client = new RpcOverHttp(hub?.url ?? "", 1);
        await describeEchoes(client, weather.url);
        await client.close();
      });
      after(() => weather?.close());

      for (const place of API_PLACES) {
        const count = Math.ceil(FEWER * place.share);
        it(`are survived by ${place.name}, ${count} of them`, async (t) => {
          assert.ok(hub);
          const client = new RpcOverHttp(hub.url, place.atOnce);
          const random = new Random();
          const statuses: Record<number, number> = {};
          const grownMb = await grownBy(hub, count, place.atOnce, async (n) => {
            const message = place.make(random, n);
            const headers = bridgeHeaders(random, "");
            const answer = await client.send("POST", message.path, message.body, headers.sent);
            assertApiAnswer(place, message, headers, answer);
            await forgetMade(client, message, answer);
            statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
            if (n % 100 === 0) weather?.forget();
          });
          t.diagnostic(`answers by status: ${JSON.stringify(statuses)}`);
          assertGrowth(t, count, grownMb);
          await assertHealthy(client, hub);
        });
      }
    });

    it("are survived by a WebSocket", async (t) => {
      assert.ok(hub);
      const sockets = new SocketFuzz(`${hub.url}/mcp`);
      const random = new Random();
      const grownMb = await grownBy(hub, MESSAGES, 16, async (n) => {
        await sockets.send(mutate(random, random.pick(RPC_CORPUS)(n)));
      });
      sockets.close();
      assertGrowth(t, MESSAGES, grownMb);
      await assertHealthy(new RpcOverHttp(hub.url, 1), hub);
    });

    it(`are survived on ${CONNECTIONS} bare connections`, async (t) => {
      assert.ok(hub);
      const client = new RpcOverHttp(hub.url, 1);
      const [url, random, statuses] = [new URL(hub.url), new Random(), {}];
      const grownMb = await grownBy(hub, CONNECTIONS, 50, () => throwGarbage(url, random, statuses));
      t.diagnostic(`answers by status: ${JSON.stringify(statuses)}`);
      assert.deepEqual(
        Object.keys(statuses).filter((status) => !/^[2-4]\d\d$/.test(status) && status !== "silence"),
        [],
        "no answer but a sensible status",
      );
      assertGrowth(t, CONNECTIONS, grownMb);
      await assertHealthy(client, hub);
    });
  });

  it("are survived by the devices' door, while others are served", async (t) => {
    const hub = await spawnZaguan({ env: { NODE_OPTIONS: SMALL } });
    t.after(() => hub.stop());
    const client = new RpcOverHttp(hub.url, 16);
    const honest = await dialFirmware({ url: hub.url });
    const devices = new DeviceFuzz(hub.url, new Random());
    const count = Math.ceil(FEWER * DEVICE_SHARE);
    const calls: Promise<void>[] = [];
    const grownMb = await grownBy(hub, count, 16, async (n) => {
      await devices.send(n);
      if (n % 50 === 0) calls.push(callOfDevice(client, devices.someTool()));
      if (n % 100 === 0) assert.equal(textOf(await client.call(THEME, { theme: "x" })), "主题: x");
    });
    await Promise.all(calls);
    devices.close();
    await honest.close();
    assertGrowth(t, count, grownMb);
    await assertHealthy(client, hub);
  });
});

async function openSession(client: RpcOverHttp): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "0" } };
  const { headers } = await client.rpc({ id: 1, method: "initialize", params });
  return String(headers["mcp-session-id"]);
}

async function openBridgeSession(client: RpcOverHttp): Promise<string> {
  const hello = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "fuzz", version: "0" } };
  const { text } = await client.send("POST", "/mcp/initialize", JSON.stringify(hello));
  return (JSON.parse(text) as { result: { session_id: string } }).result.session_id;
}

/** Whatever a broken device makes of it, its caller hears of it. */
async function callOfDevice(client: RpcOverHttp, name: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });
  const { text } = await client.send("POST", "/mcp/tools/call", body, {
    "x-session-id": await openBridgeSession(client),
    "x-timeout": "1",
  });
  const { result, error } = JSON.parse(text) as RpcReply;
  assert.ok((result ?? error) && !text.includes('"code":"INTERNAL"'), text);
}

function textOf({ reply }: { readonly reply: RpcReply }): string | undefined {
  return reply.result?.content?.[0]?.text;
}

async function assertHealthy(client: RpcOverHttp, hub: SpawnedZaguan): Promise<void> {
  assert.equal((await client.get("/health")).status, 200);
  const { reply } = await client.call("get_all_states");
  assert.ok(reply.result, JSON.stringify(reply));
  assert.doesNotMatch(hub.stderr(), /\n {4}at |[Uu]nhandled|internal/);
  await client.close();
}

/**
 * Does the work, and tells by how many megabytes the hub has grown from a fifth of it on. At the document's length it is
 * looked at when the hub rests: what it holds counts, and not what waits to be collected.
 */
async function grownBy(
  hub: SpawnedZaguan,
  count: number,
  atOnce: number,
  work: (n: number) => Promise<void>,
): Promise<number> {
  const first = Math.ceil(count / 5);
  await inFlight(first, atOnce, work);
  await sleep(REST_MS);
  const before = residentMb(hub.pid);
  await inFlight(count - first, atOnce, (n) => work(first + n));
  await sleep(REST_MS);
  return residentMb(hub.pid) - before;
}

function assertGrowth(t: TestContext, count: number, grownMb: number): void {
  survived.push({ door: t.name.replace(/^are survived (?:by|on) (?:the )?|, .*$/g, ""), count, grownMb });
  t.diagnostic(`memory grew by ${grownMb} MB`);
  assert.ok(grownMb < GROWTH_MB, `memory grew by ${grownMb} MB`);
}
