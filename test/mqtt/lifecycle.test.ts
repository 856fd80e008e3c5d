/** A broker that dies and comes back, under the supervisor: what becomes of calls, of subscriptions, of the devices. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { ZaguanError } from "../../src/errors.ts";
import type { Source } from "../../src/sources/source.ts";
import { BRIDGE_DEVICES, LAMP_STATE } from "../support/mqtt/descriptions.ts";
import { type Mosquitto, NO_MOSQUITTO, startMosquitto } from "../support/mqtt/mosquitto.ts";
import { openOther, optionsFor, superviseBroker } from "../support/mqtt/open-broker.ts";
import { ask, callTool, textOf, untilAsked } from "../support/open-house.ts";
import { ownChildren, until } from "../support/processes.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a broker that dies", { skip: NO_MOSQUITTO }, () => {
  it("is away at once, its calls say that nothing was sent, and it comes back by itself", async () => {
    const { broker, source } = await open();
    await ready(source);
    await broker.kill();
    await until("its loss is known", () => source.status().state !== "ready");
    const error = await callTool(source, "list_devices").catch((cause: ZaguanError) => cause);
    assert.ok("code" in error);
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    await broker.restart();
    await describeLamp(broker);
    await ready(source);
    await untilAsked("the lamp is there", async () =>
      textOf(await callTool(source, "list_devices")).includes("Kitchen lamp"),
    );
    assert.equal(source.status().restarts > 0, true);
  });

  it("leaves a call that it did not acknowledge in doubt", async () => {
    const { broker, source } = await open();
    await ready(source);
    const stopped = await callTool(source, "publish", { topic: "test/a", text: "first" }, "en");
    assert.equal(stopped.isError, false);
    // It takes what is sent and does nothing with it.
    const [pid] = ownChildren().slice(-1);
    process.kill(pid ?? 0, "SIGSTOP");
    const call = callTool(source, "publish", { topic: "test/a", text: "second" }, "en").catch(
      (cause: ZaguanError) => cause,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    await broker.kill();
    const error = await call;
    assert.ok("code" in error, JSON.stringify(error));
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
  });

  it("and is back tells those who listen of what changed meanwhile", async () => {
    const { broker, source, said } = await open();
    await ready(source);
    const first = await openOther(broker.port);
    await first.keep("house/a", "1");
    await first.keep("house/b", "1");
    await first.close();
    await untilAsked(
      "both are here",
      async () => (await callTool(source, "list_topics", { filter: "house/+" })).structuredContent?.["total"] === 2,
    );
    for (const topic of ["a", "b"]) await ask(source, "resources/subscribe", { uri: `mqtt://flat/house/${topic}` });
    await broker.kill();
    await until("its loss is known", () => source.status().state !== "ready");
    await broker.restart();
    const second = await openOther(broker.port);
    await second.keep("house/a", "1");
    await second.keep("house/b", "2");
    await second.close();
    await source.restart();
    await ready(source);
    said.length = 0;
    for (const topic of ["a", "b"]) await ask(source, "resources/subscribe", { uri: `mqtt://flat/house/${topic}` });
    await until("it is told", () => said.length > 0);
    assert.deepEqual(said, [{ method: "notifications/resources/updated", params: { uri: "mqtt://flat/house/b" } }]);
  });

  it("or is not there yet keeps nobody waiting", async () => {
    const broker = await start();
    await broker.kill();
    const { source } = superviseBroker(optionsFor(broker.port));
    cleanups.push(() => source.close());
    await until("it was tried", () => source.status().state === "broken");
    assert.match(source.status().lastError ?? "", /connection refused/);
    assert.equal(source.health?.()?.url, `mqtt://127.0.0.1:${broker.port}`);
    await broker.restart();
    await ready(source);
  });
});

async function start(): Promise<Mosquitto> {
  const broker = await startMosquitto();
  cleanups.push(() => broker.stop());
  return broker;
}

async function open() {
  const broker = await start();
  await describeLamp(broker);
  const opened = superviseBroker(optionsFor(broker.port, { publish: ["test/#"] }));
  cleanups.push(() => opened.source.close());
  return { broker, ...opened };
}

async function describeLamp({ port }: Mosquitto): Promise<void> {
  const other = await openOther(port);
  await other.keep("zigbee2mqtt/bridge/devices", BRIDGE_DEVICES);
  await other.keep("zigbee2mqtt/Kitchen lamp", LAMP_STATE);
  await other.close();
}

function ready(source: Source): Promise<void> {
  return until("the broker is connected", () => source.status().state === "ready");
}
