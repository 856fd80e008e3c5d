import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import * as described from "../../../test/support/mqtt/descriptions.ts";
import { HomeAssistantDialect } from "./discovery/home-assistant.ts";
import { Zigbee2MqttDialect } from "./discovery/zigbee2mqtt.ts";
import { isOnline, LiveDevices } from "./live-devices.ts";
import { IncomingMessage } from "./payload.ts";

let devices: LiveDevices;
let changed: string[];
let rearranged: number;

beforeEach(() => {
  changed = [];
  rearranged = 0;
  const dialects = [new Zigbee2MqttDialect("zigbee2mqtt"), new HomeAssistantDialect("homeassistant")];
  devices = new LiveDevices(dialects, { changed: (ids) => changed.push(...ids), rearranged: () => rearranged++ });
});

describe("devices of both dialects", () => {
  it("are there once where both describe them, as zigbee2mqtt does, whichever came first", () => {
    for (const [topic, config] of described.LAMP_FOR_HOME_ASSISTANT) take(topic, config);
    assert.deepEqual(names(), ["Kitchen lamp"]);
    take("zigbee2mqtt/bridge/devices", described.BRIDGE_DEVICES);
    assert.equal(names().filter((name) => name === "Kitchen lamp").length, 1);
    assert.equal(named("Kitchen lamp").device.model, "LED1924G9");
    // zigbee2mqtt is gone, and what Home Assistant was told is still there.
    take("zigbee2mqtt/bridge/devices", []);
    assert.deepEqual(names(), ["Kitchen lamp"]);
  });

  it("have values that are told when they change, and only then", () => {
    take("zigbee2mqtt/bridge/devices", described.BRIDGE_DEVICES);
    devices.all();
    const lamp = `${described.LAMP_ADDRESS}/`;
    take("zigbee2mqtt/Kitchen lamp", { state: "ON", brightness: 254 });
    assert.deepEqual(changed, [`${lamp}state`, `${lamp}brightness`]);
    take("zigbee2mqtt/Kitchen lamp", { state: "ON", brightness: 127 });
    assert.deepEqual(changed.slice(2), [`${lamp}brightness`]);
    take("zigbee2mqtt/Kitchen lamp", { linkquality: 5 });
    assert.equal(named("Kitchen lamp").values.get("state")?.value, true, "what a message does not name stays");
  });

  it("keep their values when they are described anew", () => {
    take("zigbee2mqtt/bridge/devices", described.BRIDGE_DEVICES);
    devices.all();
    take("zigbee2mqtt/Kitchen lamp", described.LAMP_STATE);
    take("zigbee2mqtt/bridge/devices", [...described.BRIDGE_DEVICES].reverse());
    assert.equal(named("Kitchen lamp").values.get("brightness")?.value, 50);
    assert.equal(rearranged, 2);
  });

  it("are online when all that is said of them says so", () => {
    take("zigbee2mqtt/bridge/devices", described.BRIDGE_DEVICES);
    assert.equal(isOnline(named("Kitchen lamp")), undefined);
    take("zigbee2mqtt/bridge/state", { state: "online" });
    assert.equal(isOnline(named("Kitchen lamp")), true);
    take("zigbee2mqtt/Kitchen lamp/availability", { state: "offline" });
    assert.equal(isOnline(named("Kitchen lamp")), false);
    assert.equal(isOnline(named("Front door")), true);
  });

  it("keep nothing of a size that nobody can read", () => {
    const config = { name: "Data", stat_t: "data", val_tpl: "{{ value_json }}" };
    take("homeassistant/sensor/data/config", config);
    devices.all();
    take("data", { deep: "x".repeat(5_000) });
    assert.equal(named("Data").values.size, 0);
    devices.take("data", new IncomingMessage(Buffer.from(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)), 0, false);
    assert.equal(named("Data").values.size, 0);
    take("data", { small: 1 });
    assert.deepEqual(
      [...named("Data").values.values()].map(({ value }) => value),
      [{ small: 1 }],
    );
  });
});

function take(topic: string, payload: unknown): void {
  devices.take(topic, new IncomingMessage(Buffer.from(JSON.stringify(payload))), Date.now(), false);
}

function names(): readonly string[] {
  return devices.all().map(({ device }) => device.name);
}

function named(name: string) {
  const found = devices.all().find(({ device }) => device.name === name);
  assert.ok(found, name);
  return found;
}
