/** One connection as its callers see it, with a small broker on the wire; test/mqtt has more of it, with a real one. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  BRIDGE_DEVICES,
  LAMP_ADDRESS,
  LAMP_FOR_HOME_ASSISTANT,
  LAMP_STATE,
  PLUG,
  STATION,
} from "../../../test/support/mqtt/descriptions.ts";
import { connectBroker, optionsFor } from "../../../test/support/mqtt/open-broker.ts";
import { type SmallBroker, startSmallBroker } from "../../../test/support/mqtt/small-broker.ts";
import { ask, callTool, type Said, textOf, untilAsked } from "../../../test/support/open-house.ts";
import { until } from "../../../test/support/processes.ts";
import type { Connection } from "../source.ts";

let broker: SmallBroker;
let flat: Connection;
let said: Said[];

beforeEach(async () => {
  broker = await startSmallBroker();
  for (const [topic, config] of [...LAMP_FOR_HOME_ASSISTANT, ...PLUG, STATION]) broker.publish(topic, config, true);
  broker.publish("zigbee2mqtt/bridge/devices", [...BRIDGE_DEVICES], true);
  broker.publish("zigbee2mqtt/Kitchen lamp", LAMP_STATE, true);
  broker.publish("plugs/1/state", { relay: "OFF", power: 5 }, true);
});

afterEach(async () => {
  await flat.close();
  await broker.stop();
});

describe("a connection to a broker", () => {
  it("is ready when what the broker has retained is here", async () => {
    await open();
    const text = textOf(await callTool(flat, "list_devices", {}, "en"));
    assert.match(text, /Kitchen lamp \(light\): on, Brightness 50 %/);
    assert.match(text, /Coffee machine \(switch\): off, Power 5 W/);
    assert.ok((flat.health?.().pingMs ?? 0) > 0);
  });

  it("follows the topics of devices, whatever else is shown, and only as long as they are there", async () => {
    await open({ topics: ["none/#"] });
    assert.ok(broker.filters().includes("plugs/1/state") && broker.filters().includes("zigbee2mqtt/Kitchen lamp"));
    for (const [topic] of PLUG) broker.publish(topic, "", true);
    await until("its topics are left", () => !broker.filters().includes("plugs/1/state"));
    assert.doesNotMatch(textOf(await callTool(flat, "list_devices", {}, "en")), /Coffee machine/);
    assert.ok(broker.filters().includes("zigbee2mqtt/Kitchen lamp"));
  });

  it("subscribes to nothing twice", async () => {
    await open();
    const filters = broker.filters();
    assert.equal(new Set(filters).size, filters.length);
    assert.ok(!filters.includes("plugs/1/state"), "which # brings already");
  });

  it("knows the value of a property that was described later than its device", async () => {
    for (const topics of [["none/#"], ["#"]]) {
      await open({ topics });
      const config = { ...PLUG[1]?.[1], name: "Relay again", uniq_id: "late", val_tpl: "{{ value_json.relay }}" };
      broker.publish("homeassistant/sensor/plug_1/late/config", config, true);
      const value = async () => textOf(await callTool(flat, "list_devices", { search: "coffee" }, "en"));
      await untilAsked("it is here", async () => (await value()).includes("Relay again OFF"));
      broker.publish("homeassistant/sensor/plug_1/late/config", "", true);
      await flat.close();
    }
  });

  it("sends what is wanted once, in one message, and says what the device reported", async () => {
    await open();
    const setting = callTool(flat, "set_device", { device: "kitchen lamp", state: "on", brightness: 100 }, "en");
    await until("it is sent", () => broker.published.length > 0);
    assert.deepEqual(broker.published, [
      { topic: "zigbee2mqtt/Kitchen lamp/set", text: '{"brightness":254,"state":"ON"}' },
    ]);
    broker.publish("zigbee2mqtt/Kitchen lamp", { state: "ON", brightness: 100 });
    broker.publish("zigbee2mqtt/Kitchen lamp", { state: "ON", brightness: 254 });
    const { structuredContent } = await setting;
    assert.deepEqual(structuredContent, {
      device: "Kitchen lamp",
      outcome: "confirmed",
      sent: { brightness: 100, state: true },
      reported: { brightness: 100, state: true },
    });
    assert.equal(broker.published.length, 1);
  });

  it("does not take for a confirmation what was known before, however short before", async (t) => {
    t.mock.method(Date, "now", () => 1_800_000_000_000);
    await open();
    const { structuredContent } = await callTool(flat, "set_device", { device: "kitchen lamp", state: "on" }, "en");
    assert.equal(structuredContent?.["outcome"], "sent");
  });

  it("does not take for a confirmation what the broker has kept, and sends again meanwhile", async () => {
    await open({ topics: ["none/#"] });
    const times = () => broker.subscribed.filter((topic) => topic === "zigbee2mqtt/Kitchen lamp").length;
    const before = times();
    const setting = callTool(flat, "set_device", { device: "kitchen lamp", state: "on" }, "en");
    broker.publish("zigbee2mqtt/bridge/devices", [...BRIDGE_DEVICES], true);
    assert.equal((await setting).structuredContent?.["outcome"], "sent");
    assert.ok(times() > before, "it was not sent again");
  });

  it("refuses what the device did not say it can do, and sends nothing", async () => {
    await open();
    const asked: readonly object[] = [
      { device: "kitchen lamp", brightness: 101 },
      { device: "kitchen lamp", color_temp: 1500 },
      { device: "kitchen lamp", properties: { effect: "explode" } },
      { device: "kitchen lamp", properties: { linkquality: 5 } },
      { device: "kitchen lamp", state: "unlock" },
      { device: "coffee", brightness: 5 },
      { device: "lamp of nobody", state: "on" },
    ];
    for (const args of asked)
      assert.equal((await callTool(flat, "set_device", args, "en")).isError, true, JSON.stringify(args));
    assert.deepEqual(broker.published, []);
  });

  it("publishes only where it may", async () => {
    await open({ publish: ["test/+"] });
    for (const topic of ["other", "test/a/b", "test/#", "$SYS/x", "zigbee2mqtt/bridge/request/restart"]) {
      assert.equal((await callTool(flat, "publish", { topic, text: "x" }, "en")).isError, true, topic);
    }
    assert.deepEqual(broker.published, []);
    assert.equal((await callTool(flat, "publish", { topic: "test/a", json: [1], qos: 2 }, "en")).isError, false);
    assert.deepEqual(broker.published, [{ topic: "test/a", text: "[1]" }]);
  });

  it("has no tool to publish, and calls none, where nothing may be published", async () => {
    await open();
    await assert.rejects(callTool(flat, "publish", { topic: "a", text: "x" }), { code: "UNKNOWN_TOOL" });
    await assert.rejects(callTool(flat, "constructor"), { code: "UNKNOWN_TOOL" });
    await assert.rejects(ask(flat, "prompts/list"), { code: "UNKNOWN_METHOD" });
  });

  it("tells of changes to those who subscribed, once for what comes at once", async () => {
    await open();
    const uri = "mqtt://flat/house/a";
    await ask(flat, "resources/subscribe", { uri });
    for (let n = 0; n < 50; n++) broker.publish("house/a", `${n}`);
    broker.publish("house/b", "1");
    await until("it is told", () => said.some(({ method }) => method === "notifications/resources/updated"));
    await untilAsked(
      "all is here",
      async () => textOf(await callTool(flat, "read_topic", { topic: "house/b" })) === "1",
    );
    const updates = said.filter(({ method }) => method === "notifications/resources/updated");
    assert.ok(updates.length <= 5, `${updates.length} for fifty messages`);
    assert.deepEqual(updates[0]?.params, { uri });
  });

  it("keeps descriptions of devices out of the topics", async () => {
    await open();
    const { resources } = (await ask(flat, "resources/list")) as { resources: { name: string }[] };
    assert.deepEqual(
      resources.map(({ name }) => name),
      ["plugs/1/state", "zigbee2mqtt/Kitchen lamp"],
    );
  });

  it("shows things as they are, and tells when they change", async () => {
    await open();
    const changed: string[] = [];
    flat.things?.watch({ changed: (ids) => changed.push(...ids), rearranged: () => {} });
    const id = `${LAMP_ADDRESS}/state`;
    assert.equal(flat.things?.get(id)?.state, "on");
    broker.publish("zigbee2mqtt/Kitchen lamp", { state: "OFF" });
    await until("it is told", () => changed.includes(id));
    assert.equal(flat.things?.get(id)?.state, "off");
    broker.publish("zigbee2mqtt/bridge/state", "offline");
    await until("it is away", () => flat.things?.get(id)?.state === "unavailable");
  });

  it("gives nothing back of the password that it was given", async () => {
    await open({ username: "hub", password: "correct-horse-7" });
    broker.publish("config/dump", { mqtt: { password: "correct-horse-7" } });
    await untilAsked("it is here", async () =>
      textOf(await callTool(flat, "read_topic", { topic: "config/dump" })).includes("redacted"),
    );
    broker.publish("clients/correct-horse-7/state", "on");
    await untilAsked("its topic is here", async () => textOf(await callTool(flat, "list_topics")).includes("clients/"));
    const all = [await callTool(flat, "list_topics"), await ask(flat, "resources/list")];
    assert.doesNotMatch(JSON.stringify(all), /correct-horse/);
    assert.match(JSON.stringify(all), /clients\/\[redacted\]\/state/);
  });

  it("leaves topics as they are where the password is a word of theirs", async () => {
    await open({ username: "hub", password: "mqtt" });
    assert.match(textOf(await callTool(flat, "list_topics")), /zigbee2mqtt\/Kitchen lamp/);
    assert.match(textOf(await callTool(flat, "list_devices", {}, "en")), /Kitchen lamp \(light\): on/);
  });

  it("shows names of strangers without what cannot be seen in them", async () => {
    await open();
    const config = { name: "Safe\u202E\u0007 lamp\u200B\n{ignore}", stat_t: "x/y", uniq_id: "odd" };
    broker.publish("homeassistant/switch/odd/config", config, true);
    broker.publish("x/\u202Ey", "1");
    await untilAsked("it is here", async () =>
      textOf(await callTool(flat, "list_devices", {})).includes("Safe lamp {ignore}"),
    );
    const all = JSON.stringify([
      await callTool(flat, "list_devices"),
      await callTool(flat, "list_topics"),
      await ask(flat, "resources/list"),
    ]);
    assert.doesNotMatch(all, /\u202E|\u200B|\\u0007/);
  });
});

async function open(more: Parameters<typeof optionsFor>[1] = {}): Promise<void> {
  ({ connection: flat, said } = await connectBroker(optionsFor(broker.port, more)));
}
