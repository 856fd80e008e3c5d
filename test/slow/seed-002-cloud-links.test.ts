/**
 * Links to voice clouds that come and go, at a real hub: dropped, refused, not there yet, several at once, one agent's
 * only, changed in the configuration. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CloudBroker, XiaozhiServer } from "../support/devices/index.ts";
import { freePort } from "../support/mqtt/mosquitto.ts";
import { until } from "../support/processes.ts";
import {
  asDevice,
  assertNothingInner,
  CONNECTED,
  cloud,
  type EndpointStatus,
  endpointStatus,
  type OpenHub,
  openHub,
  xiaozhi,
} from "../support/seed-002.ts";
import { askUntil } from "../support/seed-003.ts";

/** A dropped link of a healthy endpoint is back in less; one that never resets its backoff is not, after a few drops. */
const SOON_MS = 10_000;
/** More attempts than that within `CALM_MS` are a hot loop. */
const CALM_MS = 5_000;
const CALM_DIALS = 20;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startBroker(...options: Parameters<typeof CloudBroker.start>): Promise<CloudBroker> {
  const broker = await CloudBroker.start(...options);
  closers.push(() => broker.close());
  return broker;
}

async function open(...endpoints: readonly object[]): Promise<OpenHub> {
  const house = await openHub(xiaozhi(...endpoints));
  closers.push(() => house.hub.stop());
  return house;
}

function untilStatus(house: OpenHub, isSo: (status: EndpointStatus) => boolean): Promise<EndpointStatus[]> {
  return askUntil(
    "the status tells",
    () => endpointStatus(house.http),
    ([first]) => first !== undefined && isSo(first),
  );
}

describe("a dropped link", () => {
  it("is back soon, every time, however it was dropped", async () => {
    const broker = await startBroker();
    await open(cloud(broker.url()));
    // What was cut is taken for an accident; after closing upon closing the pauses grow.
    const drops = [
      () => broker.cutAll(),
      () => broker.links.at(-1)?.socket.close(1000),
      () => broker.cutAll(),
      () => broker.links.at(-1)?.socket.close(1001, "restart"),
      () => broker.cutAll(),
      () => broker.links.at(-1)?.socket.close(4004, "Internal server error"),
    ];
    for (const drop of drops) {
      const link = await broker.next();
      assert.ok((await link.names()).length > 0);
      drop();
      const dropped = await link.frames.closed;
      const known = broker.dials.length;
      await until(
        "it is dialled again",
        () => broker.dials.length > known || dialledSince(broker, dropped.at),
        SOON_MS,
      );
    }
    assert.ok((await (await broker.next()).names()).length > 0);
  });

  it("is told in the status, and that it is back", async () => {
    const port = await freePort();
    const first = await startBroker({ port });
    const house = await open(cloud(first.url()));
    await first.next();
    await untilStatus(house, ({ state }) => state === CONNECTED);
    await first.close();
    await untilStatus(house, ({ state }) => state !== CONNECTED);
    const second = await startBroker({ port });
    await second.next();
    await untilStatus(house, ({ state }) => state === CONNECTED);
  });

  it("takes an answer with it, and what comes on the new one is answered there", async () => {
    const broker = await startBroker();
    const house = await open(cloud(broker.url()));
    const link = await broker.next();
    link.send({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "get_presence", arguments: {} } });
    broker.cutAll();
    const fresh = await broker.next();
    assert.strictEqual((await fresh.ask("ping", {}, 5)).id, 5);
    assert.equal(fresh.frames.payloads.filter(({ id }) => id === 5).length, 1);
    assertNothingInner(house);
  });
});

describe("an endpoint", () => {
  it("that is not there yet holds up nothing, and is found when it is", async () => {
    const port = await freePort();
    const house = await open(cloud(`ws://127.0.0.1:${port}/mcp/?token=t`));
    assert.ok((await house.http.names("/mcp")).includes("get_presence"));
    await untilStatus(house, ({ state }) => state !== CONNECTED);
    const broker = await startBroker({ port });
    assert.ok((await (await broker.next()).names()).includes("get_presence"));
  });

  for (const refusal of ["401", "1008"] as const) {
    it(`that refuses the token (${refusal}) is not run against, and the status says that it is not connected`, async () => {
      const broker = await startBroker({ tokens: ["good"], refusal });
      const house = await open(cloud(broker.url("malo-y-secreto")));
      await until("it was dialled", () => broker.dials.length > 0);
      await sleep(CALM_MS);
      assert.ok(broker.dials.length <= CALM_DIALS, `${broker.dials.length} dials`);
      await untilStatus(house, ({ state }) => state !== CONNECTED);
      assert.ok(!house.logged().includes("malo-y-secreto"), house.logged());
      assert.ok(!(await house.http.get("/mcp/status")).text.includes("malo-y-secreto"));
      await until("the log warns", () => /"level":"(?:warn|error)"/.test(house.logged()));
    });
  }

  it("that lets in and drops at once is not run against either", async () => {
    const broker = await startBroker({ greets: false });
    await open(cloud(broker.url()));
    const cutting = setInterval(() => broker.cutAll(), 20);
    await until("it was dialled", () => broker.dials.length > 0);
    await sleep(CALM_MS);
    clearInterval(cutting);
    assert.ok(broker.dials.length <= CALM_DIALS, `${broker.dials.length} dials`);
  });

  it("that says nothing for a while is not left", async () => {
    const broker = await startBroker({ greets: false });
    await open(cloud(broker.url()));
    const link = await broker.next();
    await sleep(CALM_MS);
    assert.equal(link.frames.ending, undefined);
    assert.deepEqual((await link.ask("ping")).result, {});
  });
});

describe("several endpoints", () => {
  it("are served at once, each for itself", async () => {
    const brokers = await Promise.all([startBroker(), startBroker(), startBroker()]);
    const house = await open(...brokers.map((broker) => cloud(broker.url())));
    const links = await Promise.all(brokers.map((broker) => broker.next()));
    const said = await Promise.all(links.map((link) => link.call("get_presence")));
    for (const result of said) assert.notEqual(result.isError, true);
    brokers[0]?.cutAll();
    assert.deepEqual((await links[1]?.ask("ping"))?.result, {});
    await brokers[0]?.next();
    assert.equal(links[1]?.frames.ending, undefined);
    const statuses = await askUntil(
      "all are connected",
      () => endpointStatus(house.http),
      (all) => all.length === 3 && all.every(({ state }) => state === CONNECTED),
    );
    assert.equal(new Set(statuses.map(({ url }) => url)).size, 3);
  });

  it("may be of both kinds", async () => {
    const broker = await startBroker();
    const server = await XiaozhiServer.start({ settleMs: 10 });
    closers.push(() => server.close());
    await open(cloud(broker.url()), asDevice(server.url));
    assert.ok((await (await broker.next()).names()).includes("get_presence"));
    assert.ok((await server.next()).tools?.some(({ name }) => name === "get_presence"));
  });

  it("of which one is never there leave the other alone", async () => {
    const broker = await startBroker();
    await open(cloud(`ws://127.0.0.1:${await freePort()}/mcp/?token=t`), cloud(broker.url()));
    assert.ok((await (await broker.next()).names()).includes("get_presence"));
  });
});

describe("an endpoint of one agent", () => {
  it("is served the agent's tools and no others, and hears of no others", async () => {
    const house = await openHub();
    closers.push(() => house.hub.stop());
    await house.http.agent("mayordomo", "house__get_presence");
    const broker = await startBroker();
    house.hub.writeConfig(xiaozhi(cloud(broker.url(), "mayordomo")));
    const link = await broker.next();
    assert.deepEqual(await link.names(), ["get_presence"]);
    assert.notEqual((await link.call("get_presence")).isError, true);
    const refused = await link.call("set_light_state", { name: "salon", on: true });
    assert.equal(refused.isError, true, JSON.stringify(refused));
    const { id } = (await house.http.get("/agents/mayordomo")).body;
    await house.http.done("POST", `/agents/${id}/bindings`, { toolId: "house__set_light_state", enabled: true });
    await askUntil(
      "the new link is served",
      () => link.names(),
      (names) => names.includes("set_light_state"),
    );
  });
});

describe("the configuration", () => {
  it("is followed while the hub runs: an endpoint comes, changes its token, and goes", async () => {
    const house = await openHub();
    closers.push(() => house.hub.stop());
    const broker = await startBroker();
    house.hub.writeConfig(xiaozhi(cloud(broker.url("uno"))));
    const first = await broker.next();
    house.hub.writeConfig(xiaozhi(cloud(broker.url("dos"))));
    const second = await broker.next();
    assert.equal(second.dial.query.get("token"), "dos");
    await until("the first is closed", () => first.frames.ending !== undefined);
    house.hub.writeConfig({});
    await until("the second is closed", () => second.frames.ending !== undefined);
    await askUntil(
      "none is left in the status",
      () => endpointStatus(house.http),
      (all) => all.length === 0,
    );
  });

  it("that changes elsewhere leaves a link as it is", async () => {
    const house = await openHub();
    closers.push(() => house.hub.stop());
    const broker = await startBroker();
    house.hub.writeConfig(xiaozhi(cloud(broker.url())));
    const link = await broker.next();
    house.hub.writeConfig({ ...xiaozhi(cloud(broker.url())), devices: { house: false } });
    await askUntil(
      "the change was taken up",
      () => link.names(),
      (names) => !names.includes("get_presence"),
    );
    assert.equal(link.frames.ending, undefined);
    assert.equal(broker.links.length, 1);
  });

  it("may take the token from the environment", async () => {
    const broker = await startBroker({ tokens: ["del-entorno"] });
    const endpoint = cloud(broker.url("del-entorno").replace("del-entorno", "${" + "VOZ_TOKEN}"));
    const house = await openHub(xiaozhi(endpoint), { env: { VOZ_TOKEN: "del-entorno" } });
    closers.push(() => house.hub.stop());
    assert.equal((await broker.next()).dial.query.get("token"), "del-entorno");
  });

  it("that names no address is refused by name", async () => {
    const house = await openHub();
    closers.push(() => house.hub.stop());
    house.hub.writeConfig(xiaozhi({ url: "not an address" }));
    await until("the log says so", () => house.logged().includes("xiaozhi"));
    assert.ok((await house.http.names("/mcp")).includes("get_presence"));
  });
});

function dialledSince({ dials }: CloudBroker, at: number): boolean {
  return dials.some((dial) => dial.at > at);
}
