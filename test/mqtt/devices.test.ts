/** Devices behind a real mosquitto, as zigbee2mqtt and Home Assistant's discovery announce them: found, shown, set. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { MqttMessage } from "../../src/link/mqtt.ts";
import type { Connection, ThingsListener } from "../../src/sources/source.ts";
import { BRIDGE_DEVICES, LAMP_FOR_HOME_ASSISTANT, LAMP_STATE, PLUG, STATION } from "../support/mqtt/descriptions.ts";
import { type Mosquitto, NO_MOSQUITTO, startMosquitto } from "../support/mqtt/mosquitto.ts";
import { connectBroker, type Other, openOther, optionsFor } from "../support/mqtt/open-broker.ts";
import { ask, callTool, textOf, untilAsked } from "../support/open-house.ts";
import { until } from "../support/processes.ts";

interface Listed {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly online?: boolean;
}

let broker: Mosquitto;
let other: Other;
let flat: Connection;

before(async () => {
  if (NO_MOSQUITTO) return;
  broker = await startMosquitto();
  other = await openOther(broker.port);
  for (const [topic, config] of [...LAMP_FOR_HOME_ASSISTANT, ...PLUG, STATION]) await other.keep(topic, config);
  await other.keep("zigbee2mqtt/bridge/devices", BRIDGE_DEVICES);
  await other.keep("zigbee2mqtt/bridge/state", { state: "online" });
  await other.keep("zigbee2mqtt/Kitchen lamp", LAMP_STATE);
  await other.keep("zigbee2mqtt/Bathroom/sensor", { temperature: 21.4, humidity: 55.1 });
  await other.keep("plugs/1/state", { relay: "OFF", power: 3 });
  await other.keep("station/7/online", "0");
  // Topics are shown in another corner: devices are followed all the same.
  ({ connection: flat } = await connectBroker(optionsFor(broker.port, { topics: ["test/#"], publish: ["test/+"] })));
});

after(async () => {
  await flat?.close();
  await other?.close();
  await broker?.stop();
});

describe("devices", { skip: NO_MOSQUITTO }, () => {
  it("are known with their states as soon as the broker is ready, each once", async () => {
    const devices = await list({});
    assert.deepEqual(
      devices.map(({ name, kind }) => [name, kind]),
      [
        ["Bathroom/sensor", "sensor"],
        ["Bedroom blind", "cover"],
        ["Coffee machine", "switch"],
        ["Front door", "lock"],
        ["Kitchen lamp", "light"],
        ["Office heating", "climate"],
        ["Wall switch", "switch"],
        ["Weather station", "binary_sensor"],
      ],
    );
    const stateOf = (name: string) => devices.find((each) => each.name === name)?.state ?? "";
    assert.match(stateOf("Kitchen lamp"), /^on, Brightness 50 %, Color temp 2703 K/);
    assert.equal(stateOf("Bathroom/sensor"), "Temperature 21.4 °C, Humidity 55.1 %");
    assert.equal(devices.find(({ name }) => name === "Weather station")?.online, false);
    assert.ok((flat.health?.().entities ?? 0) > 10);
  });

  it("are found by words of their names, kind and state, a page at a time", async () => {
    assert.deepEqual(
      (await list({ search: "lamp" })).map(({ name }) => name),
      ["Kitchen lamp"],
    );
    assert.deepEqual(
      (await list({ kind: "light", state: "on" })).map(({ name }) => name),
      ["Kitchen lamp"],
    );
    assert.deepEqual(await list({ kind: "light", state: "off" }), []);
    const page = await callTool(flat, "list_devices", { limit: 3, offset: 6 }, "en");
    assert.deepEqual([page.structuredContent?.["total"], page.structuredContent?.["next_offset"]], [8, undefined]);
    const first = await callTool(flat, "list_devices", { limit: 3 }, "en");
    assert.equal(first.structuredContent?.["next_offset"], 3);
  });

  it("say what they can do, and what cannot be read", async () => {
    const lamp = await callTool(flat, "get_device", { device: "kitchen LAMP" }, "en");
    const properties = lamp.structuredContent?.["properties"] as { name: string }[];
    assert.deepEqual(
      properties.find(({ name }) => name === "color_temp"),
      {
        ...properties.find(({ name }) => name === "color_temp"),
        settable: true,
        argument: "color_temp",
        min: 2000,
        max: 6536,
        unit: "K",
      },
    );
    const station = await callTool(flat, "get_device", { device: "weather" }, "en");
    assert.match(textOf(station), /"dew_point"[^}]*"readable": false/s);
  });

  it("are set with one message, and confirm it", async () => {
    const sent: string[] = [];
    await other.on("zigbee2mqtt/Kitchen lamp/set", (message) => {
      sent.push(message.payload.toString());
      void other.keep("zigbee2mqtt/Kitchen lamp", { ...LAMP_STATE, ...JSON.parse(message.payload.toString()) });
    });
    const result = await set({ device: "Kitchen lamp", state: "on", brightness: 20, color_temp: 4000 });
    assert.deepEqual(
      sent.map((text) => JSON.parse(text)),
      [{ brightness: 51, color_temp: 250, state: "ON" }],
    );
    assert.equal(result.structuredContent?.["outcome"], "confirmed");
    assert.deepEqual(result.structuredContent?.["reported"], { brightness: 20, color_temp: 4000, state: true });
    await set({ device: "Kitchen lamp", state: "toggle" });
    assert.deepEqual(JSON.parse(sent[1] ?? ""), { state: "OFF" });
  });

  it("of Home Assistant's discovery are set by their own topics and words", async () => {
    const sent: MqttMessage[] = [];
    await other.on("plugs/1/set", (message) => {
      sent.push(message);
      void other.keep("plugs/1/state", { relay: message.payload.toString(), power: 900 });
    });
    const result = await set({ device: "coffee machine", state: "on" });
    assert.deepEqual([sent[0]?.payload.toString(), result.structuredContent?.["outcome"]], ["ON", "confirmed"]);
  });

  it("that do not answer are told from those that confirm, and from those that report something else", async () => {
    const silent = await set({ device: "Bedroom blind", position: 30 });
    assert.equal(silent.structuredContent?.["outcome"], "sent");
    assert.match(textOf(silent), /has not reported back/);
    await other.on(
      "zigbee2mqtt/Office heating/set",
      () => void other.say("zigbee2mqtt/Office heating", { occupied_heating_setpoint: 5 }),
    );
    const stubborn = await set({ device: "Office heating", temperature: 22 });
    assert.equal(stubborn.structuredContent?.["outcome"], "differs");
    assert.deepEqual(stubborn.structuredContent?.["reported"], { occupied_heating_setpoint: 5 });
    const button = await set({ device: "Weather station", state: "press" });
    assert.match(textOf(button), /does not report what it does\. The device is reported offline/);
  });

  const refusals: readonly (readonly [string, object, RegExp])[] = [
    ["a device that there is not", { device: "Kitchn lamp", state: "on" }, /no device 'Kitchn lamp'/],
    ["a device that is only read", { device: "Bathroom/sensor", state: "on" }, /can only be read/],
    ["what it cannot do", { device: "Front door", brightness: 5 }, /no 'brightness' that can be set.*state/],
    ["a number out of its range", { device: "Office heating", temperature: 45 }, /number from 5 to 30/],
    ["a mode that it does not have", { device: "Office heating", mode: "tropical" }, /one of: off, auto, heat/],
    ["one of several switches", { device: "Wall switch", state: "on" }, /several.*state_left, state_right/],
    [
      "a toggle of what is not known",
      { device: "Wall switch State left", state: "toggle" },
      /not known: use on or off/,
    ],
    ["a property that it does not have", { device: "Kitchen lamp", properties: { volume: 3 } }, /no 'volume'/],
    ["nothing at all", { device: "Kitchen lamp" }, /Nothing to set/],
  ];
  for (const [what, args, reason] of refusals) {
    it(`are not asked for ${what}`, async () => {
      const result = await set(args);
      assert.equal(result.isError, true);
      assert.match(textOf(result), reason);
    });
  }

  it("can be set by any of their properties, and by the name of one of them", async () => {
    const sent: string[] = [];
    await other.on("zigbee2mqtt/Wall switch/set", ({ payload }) => sent.push(payload.toString()));
    await set({ device: "Wall switch", properties: { state_left: "on" } });
    await set({ device: "wall switch state right", state: "off" });
    assert.deepEqual(sent, ['{"state_left":"ON"}', '{"state_right":"OFF"}']);
  });

  it("come, change and go while we are connected, which is told to those who watch", async () => {
    const told = { changed: [] as string[], rearranged: 0 };
    const listener: ThingsListener = {
      changed: (ids) => told.changed.push(...ids),
      rearranged: () => told.rearranged++,
    };
    const unwatch = flat.things?.watch(listener);
    await other.keep("homeassistant/sensor/new/config", {
      name: "Cellar",
      stat_t: "cellar/t",
      unit_of_meas: "°C",
      uniq_id: "cellar",
    });
    await other.keep("cellar/t", "11.5");
    await until("its value is here", () => cellar() === "11.5");
    assert.ok(told.rearranged > 0);
    const placed = (await flat.things?.list()) ?? [];
    assert.ok(placed.some(({ thing, place }) => thing.name === "Weather station Outdoor" && place?.name === "Garden"));
    await other.say("cellar/t", "12");
    await until("the change is told", () => told.changed.length > 0 && cellar() === "12");
    await other.keep("homeassistant/sensor/new/config", "");
    await untilAsked("it is gone", async () => (await list({ search: "cellar" })).length === 0);
    unwatch?.();
  });

  it("are told in the caller's language", async () => {
    assert.match(
      textOf(await callTool(flat, "set_device", { device: "nadie", state: "on" }, "es")),
      /^set_device falló: No hay ningún dispositivo/,
    );
    assert.match(textOf(await callTool(flat, "list_devices", { limit: 1 }, "zh")), /8 个设备中的 1 个/);
    const { tools } = (await ask(flat, "tools/list", {}, "fr")) as { tools: { name: string; description: string }[] };
    assert.match(tools[0]?.description ?? "", /^Liste les appareils/);
  });
});

function cellar(): string | undefined {
  return flat.things?.get("cellar/state")?.state;
}

async function list(args: object): Promise<readonly Listed[]> {
  return (await callTool(flat, "list_devices", args, "en")).structuredContent?.["devices"] as readonly Listed[];
}

function set(args: object) {
  return callTool(flat, "set_device", args, "en");
}
