import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { WebSocketServer } from "ws";
import { type SimulatedHome, startHomeAssistant } from "../../../test/support/home-assistant/index.ts";
import { callTool, optionsFor, superviseHouse, textOf, untilAsked } from "../../../test/support/open-house.ts";
import { until } from "../../../test/support/processes.ts";
import { ZaguanError } from "../../errors.ts";
import type { Source } from "../source.ts";
import type { HomeAssistantOptions } from "./house.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a house", () => {
  it("is connected before anybody asks, and says how it is", async () => {
    const home = await start();
    const { source } = open("madrid", home);
    await ready(source);
    const health = source.health?.();
    assert.equal(health?.url, home.url);
    assert.ok(health?.entities && health.entities > 0);
    assert.ok(health.pingMs !== undefined && health.pingMs >= 0);
    assert.ok(Math.abs((health.lastSuccessAt ?? 0) - Date.now()) < 60_000);
    assert.equal(home.connections, 1);
  });

  it("is one of several, each with its own states and services", async () => {
    const [one, two] = [await start(), await start({ token: "other-token" })];
    const [madrid, playa] = [open("madrid", one).source, open("playa", two).source];
    await Promise.all([ready(madrid), ready(playa)]);
    const args = { domain: "light", service: "turn_on", entity_id: "light.salon_lamp" };
    await callTool(playa, "call_service", args);
    assert.deepEqual([one.state("light.salon_lamp")?.state, two.state("light.salon_lamp")?.state], ["off", "on"]);
    assert.match(
      textOf(await callTool(madrid, "get_entity_state", { entity_id: "light.salon_lamp" })),
      /"state": "off"/,
    );
    await two.stop();
    await until("playa is away", () => playa.status().state === "broken");
    assert.match(textOf(await callTool(madrid, "get_entities")), /^Trouvé/);
  });

  it("is connected again by itself after its sockets were cut, and knows what changed meanwhile", async () => {
    const home = await start();
    const { source } = open("madrid", home);
    await ready(source);
    home.dropSockets();
    home.setState("sensor.temperature_salon", "3");
    await untilAsked("it is back", async () => {
      const result = await callTool(source, "get_entity_state", { entity_id: "sensor.temperature_salon" });
      return result.structuredContent?.["state"] === "3";
    });
    assert.equal(home.connections, 1);
  });

  it("is unavailable while it is away, at once, and back when it is back", async () => {
    const home = await start();
    const { source, events } = open("madrid", home);
    await ready(source);
    await home.stop();
    await until("it is away", () => source.status().state === "broken");
    const error = await failure(callTool(source, "get_entities"));
    assert.deepEqual([error.code, error.row.rpc, error.delivery], ["SOURCE_UNAVAILABLE", -32004, "not_sent"]);
    const health = source.health?.();
    assert.deepEqual([health?.url, health?.pingMs, health?.entities], [home.url, undefined, undefined]);
    assert.ok(health?.lastSuccessAt);
    // It is tried again and again, but told of only when there is something new to tell.
    const tries = (): number => source.status().restarts;
    const before = tries();
    await until("it was tried more often", () => tries() > before + 3, 20_000);
    const told = events.filter((event) => event.type === "source-state" && event.state === "broken");
    assert.equal(
      new Set(told.map((event) => JSON.stringify({ ...event, restarts: 0, nextTryMs: 0 }))).size,
      told.length,
    );
    cleanups.push(await restart(home));
    await until("it is back", () => source.status().state === "ready", 20_000);
    assert.match(textOf(await callTool(source, "get_entities")), /^Trouvé/);
  });

  it("may come later than the hub", async () => {
    const home = await start();
    await home.stop();
    const { source } = open("madrid", home);
    await until("it was looked for", () => source.status().state === "broken");
    assert.equal(source.status().obstacle, "refused");
    cleanups.push(await restart(home));
    await until("it is there", () => source.status().state === "ready", 20_000);
  });

  it("that is a black hole is noticed by its silence, and given another chance", async () => {
    const home = await start();
    const { source } = open("madrid", home, { pingMs: 200, pongMs: 300 });
    await ready(source);
    home.mute(true);
    await until("the silence is noticed", () => source.status().state !== "ready");
    const { lastError, obstacle } = source.status();
    assert.deepEqual([lastError, obstacle], ["it did not answer a ping within 0.3 s", "timeout"]);
    home.mute(false);
    await until("it is back", () => source.status().state === "ready", 30_000);
  });

  it("that does not answer is found out by whoever asks for its tools", async () => {
    const home = await start();
    const { source } = open("madrid", home, { pongMs: 300 });
    await ready(source);
    home.mute(true);
    await assert.rejects(source.listTools(new AbortController().signal), { code: "SOURCE_UNAVAILABLE" });
  });
});

describe("a house that refuses the token", () => {
  it("says so, and shows the token nowhere", async () => {
    const home = await start();
    const token = "wrong-and-secret";
    const { source, events } = open("madrid", home, { token });
    await until("it was refused", () => source.status().state === "broken");
    assert.equal(source.status().obstacle, "credentials");
    const error = await failure(callTool(source, "get_entities"));
    assert.equal(error.code, "SOURCE_UNAVAILABLE");
    assert.match(String(error.details.params?.["reason"]), /refused the token/);
    // A house counts refused tokens, and may shut out who brings too many.
    assert.ok((error.details.retryAfterMs ?? 0) > 60_000);
    const all = JSON.stringify([events, source.status(), source.health?.(), error, error.message, error.stack]);
    assert.ok(!all.includes(token));
  });
});

describe("a house that refuses to tell its states", () => {
  it("is unavailable, in its own words, until it does", async () => {
    const home = await start({ refuses: ["subscribe_entities"] });
    const { source } = open("madrid", home);
    await until("it was given up", () => source.status().state === "broken");
    const { lastError, obstacle } = source.status();
    assert.deepEqual([lastError, obstacle], ["it refused to tell its states: Unauthorized", "credentials"]);
    home.refused.clear();
    await ready(source);
  });
});

describe("a house that makes no sense", () => {
  const nonsense: [string, RegExp, (send: (text: string) => void) => void, readyMs?: number][] = [
    ["says nothing at all", /not become ready/, () => {}],
    ["sends what is no JSON", /not become ready/, (send) => send("{oops")],
    ["sends null", /not become ready/, (send) => send("null")],
    [
      "lets us in and then talks nonsense",
      /no message of Home Assistant/,
      (send) => {
        send('{"type":"auth_ok","ha_version":"2026.7.0"}');
        setTimeout(() => send('{"id":3,"type":'), 100);
      },
      10_000,
    ],
    ["lets us in and never tells its states", /not become ready/, (send) => send('{"type":"auth_ok"}')],
  ];
  for (const [what, reason, behave, readyMs = 1_000] of nonsense) {
    it(`and ${what} is unavailable, and harms nobody`, async () => {
      const url = await pretend(behave);
      const { source } = open("madrid", { url, token: "t" } as SimulatedHome, {}, readyMs);
      await until("it was given up", () => source.status().state === "broken", 20_000);
      assert.equal((await failure(callTool(source, "get_entities"))).code, "SOURCE_UNAVAILABLE");
      const { lastError = "", obstacle } = source.status();
      assert.match(lastError, reason);
      assert.equal(obstacle, /not become ready/.test(lastError) ? "timeout" : undefined);
    });
  }

  it("and takes the connection without a word is told as one that does not answer", async () => {
    const url = await pretend(() => {});
    const { source } = open("madrid", { url, token: "t" } as SimulatedHome, {}, 10_000);
    await until("it was given up", () => source.status().state === "broken", 20_000);
    const { lastError, obstacle } = source.status();
    assert.deepEqual([lastError, obstacle], ["it did not let us in within 5 s", "timeout"]);
  });

  it("is no place to go if it is forbidden", async () => {
    const home = await start();
    const { source } = open("madrid", home, { allowPrivate: false });
    await until("it was refused", () => source.status().state === "broken");
    assert.equal(home.connections, 0);
  });
});

async function start(options: Parameters<typeof startHomeAssistant>[0] = {}): Promise<SimulatedHome> {
  const home = await startHomeAssistant(options);
  cleanups.push(() => home.stop().catch(() => {}));
  return home;
}

/** Another at the same place. */
async function restart({ port, token }: SimulatedHome, other = token): Promise<() => Promise<void>> {
  const again = await startHomeAssistant({ port, token: other });
  return () => again.stop();
}

function open(name: string, home: SimulatedHome, more: Partial<HomeAssistantOptions> = {}, readyMs = 10_000) {
  const opened = superviseHouse(name, optionsFor(home, more), readyMs);
  cleanups.push(() => opened.source.close());
  return opened;
}

function ready(source: Source): Promise<void> {
  return until("the house is connected", () => source.status().state === "ready");
}

async function failure(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (cause) => cause,
  );
  assert.ok(error instanceof ZaguanError, String(error));
  return error;
}

/** Something at the house's address that behaves as told once somebody wants in. */
async function pretend(behave: (send: (text: string) => void) => void): Promise<string> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    // The first thing that anybody says to a house is the token.
    socket.once("message", () => behave((text) => socket.send(text)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
