import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { BRIDGE_DEVICES, LAMP_ADDRESS, LAMP_STATE } from "../../../../test/support/mqtt/descriptions.ts";
import { IncomingMessage } from "../payload.ts";
import type { Device, Property } from "./device.ts";
import { Zigbee2MqttDialect } from "./zigbee2mqtt.ts";

let dialect: Zigbee2MqttDialect;

beforeEach(() => {
  dialect = new Zigbee2MqttDialect("zigbee2mqtt");
  take(BRIDGE_DEVICES);
});

describe("zigbee2mqtt's description", () => {
  it("has every device but the coordinator, with maker and model", () => {
    const names = [...dialect.devices()].map(({ name }) => name);
    assert.deepEqual(names, [
      "Kitchen lamp",
      "Bathroom/sensor",
      "Front door",
      "Bedroom blind",
      "Office heating",
      "Wall switch",
    ]);
    const lamp = called("Kitchen lamp");
    assert.deepEqual([lamp.id, lamp.maker, lamp.model], [LAMP_ADDRESS, "IKEA", "LED1924G9"]);
    assert.deepEqual(lamp.aliases, [`zigbee2mqtt_${LAMP_ADDRESS}`]);
  });

  it("reads values in the units of people", () => {
    const read = readFrom("Kitchen lamp", LAMP_STATE);
    assert.deepEqual(["state", "brightness", "color_temp", "power_on_behavior"].map(read), [
      true,
      50,
      2703,
      "previous",
    ]);
    assert.match(String(read("color")), /^#[0-9a-f]{6}$/);
    const door = readFrom("Front door", { state: "UNLOCK", contact: true });
    assert.deepEqual([door("state"), door("contact"), door("lock_state")], ["unlocked", true, undefined]);
    assert.equal(readFrom("Bedroom blind", { state: "CLOSE" })("state"), "closed");
  });

  it("writes them as the device counts them", () => {
    const told = (device: string, key: string, value: unknown) => property(device, key).write?.members?.(value);
    assert.deepEqual(told("Kitchen lamp", "state", false), { state: "OFF" });
    assert.deepEqual(told("Kitchen lamp", "brightness", 100), { brightness: 254 });
    assert.deepEqual(told("Kitchen lamp", "brightness", 0.1), { brightness: 1 });
    assert.deepEqual(told("Kitchen lamp", "color_temp", 2700), { color_temp: 370 });
    assert.deepEqual(told("Kitchen lamp", "color", "#ff0000"), { color: { hex: "#ff0000" } });
    assert.deepEqual(told("Front door", "state", "lock"), { state: "LOCK" });
    assert.deepEqual(told("Bedroom blind", "state", "stop"), { state: "STOP" });
    assert.deepEqual(told("Wall switch", "state_right", true), { state_right: "ON" });
    assert.equal(property("Wall switch", "state_right").write?.topic, "zigbee2mqtt/Wall switch/set");
  });

  it("says what each property is, and what can be done with it", () => {
    const of = (device: string, key: string) => {
      const { domain, role, form, write, isExtra } = property(device, key);
      return [domain, role, form.type, write !== undefined, isExtra];
    };
    assert.deepEqual(of("Kitchen lamp", "state"), ["light", "power", "switch", true, false]);
    assert.deepEqual(of("Kitchen lamp", "brightness"), [undefined, "brightness", "number", true, false]);
    assert.deepEqual(of("Kitchen lamp", "linkquality"), ["sensor", undefined, "number", false, true]);
    assert.deepEqual(of("Kitchen lamp", "power_on_behavior"), ["select", undefined, "choice", true, true]);
    assert.deepEqual(of("Office heating", "occupied_heating_setpoint"), [
      "climate",
      "temperature",
      "number",
      true,
      false,
    ]);
    assert.deepEqual(of("Office heating", "local_temperature"), [undefined, undefined, "number", false, false]);
    assert.deepEqual(property("Office heating", "occupied_heating_setpoint").form, {
      type: "number",
      min: 5,
      max: 30,
      step: 0.5,
    });
    assert.equal(property("Kitchen lamp", "effect").read, undefined);
  });

  it("knows availability in both forms", () => {
    const { availability } = called("Kitchen lamp");
    assert.deepEqual(
      availability.map(({ topic }) => topic),
      ["zigbee2mqtt/bridge/state", "zigbee2mqtt/Kitchen lamp/availability"],
    );
    const said = (text: string) => availability[1]?.isAvailable(new IncomingMessage(Buffer.from(text)));
    assert.deepEqual(['{"state":"online"}', "offline", "what"].map(said), [true, false, undefined]);
  });

  it("forgets what is no longer in it", () => {
    take(BRIDGE_DEVICES.slice(0, 2));
    assert.equal([...dialect.devices()].length, 1);
    assert.ok(dialect.take("zigbee2mqtt/bridge/devices", new IncomingMessage(Buffer.alloc(0))));
    assert.equal([...dialect.devices()].length, 0);
  });

  it("survives whatever a stranger writes", () => {
    const expose = (more: object) => ({ ...BRIDGE_DEVICES[1], definition: { model: 7, exposes: [more] } });
    const odd = [
      null,
      7,
      [],
      { ieee_address: "0x1" },
      { ieee_address: "0x2", friendly_name: "a/#" },
      { ieee_address: "0x3", friendly_name: "x", definition: { exposes: "no" } },
      expose({
        type: "light",
        features: [null, { type: "light", features: [{ type: "light", features: [{ type: "light", features: [] }] }] }],
      }),
      expose({ type: "numeric", name: "a", property: "__proto__", access: 7, value_min: "x" }),
      expose({ type: "enum", name: "e", property: "e", access: "7", values: [1, null, {}] }),
      expose({ type: "composite", name: "c", property: "c", access: 7, features: 5 }),
    ];
    take(odd);
    for (const { properties } of dialect.devices()) {
      for (const { read, write } of properties) {
        read?.value?.(new IncomingMessage(Buffer.from('{"a":1,"e":[],"c":{}}')));
        write?.members?.("x");
      }
    }
    assert.equal(dialect.take("zigbee2mqtt/bridge/devices", new IncomingMessage(Buffer.from("{}"))), false);
    take(
      Array.from({ length: 1_500 }, (_, n) => ({
        ...BRIDGE_DEVICES[2],
        ieee_address: `0x${n}`,
        friendly_name: `${n}`,
      })),
    );
    assert.deepEqual([[...dialect.devices()].length, dialect.isFull], [1_000, true]);
  });
});

function take(devices: readonly unknown[]): void {
  dialect.take("zigbee2mqtt/bridge/devices", new IncomingMessage(Buffer.from(JSON.stringify(devices))));
}

function called(name: string): Device {
  return [...dialect.devices()].find((device) => device.name === name) as Device;
}

function property(device: string, key: string): Property {
  return called(device).properties.find((each) => each.key === key) as Property;
}

function readFrom(device: string, state: object): (key: string) => unknown {
  const message = new IncomingMessage(Buffer.from(JSON.stringify(state)));
  return (key) => property(device, key).read?.value?.(message);
}
