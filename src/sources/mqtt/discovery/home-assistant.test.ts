import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { PLUG, STATION } from "../../../../test/support/mqtt/descriptions.ts";
import { IncomingMessage } from "../payload.ts";
import type { Device, Property } from "./device.ts";
import { HomeAssistantDialect } from "./home-assistant.ts";

let dialect: HomeAssistantDialect;

beforeEach(() => {
  dialect = new HomeAssistantDialect("homeassistant");
});

describe("Home Assistant's discovery", () => {
  it("makes one device of entities with the same one, in short and long words", () => {
    for (const [topic, config] of PLUG) take(topic, config);
    const [plug, ...others] = [...dialect.devices()] as [Device, ...Device[]];
    assert.equal(others.length, 0);
    assert.deepEqual(
      [plug.id, plug.name, plug.maker, plug.model, plug.area],
      ["plug_1", "Coffee machine", "Sonoff", "S31", "Kitchen"],
    );
    assert.deepEqual(
      plug.properties.map(({ key, domain, unit }) => [key, domain, unit]),
      [
        ["state", "switch", undefined],
        ["power", "sensor", "W"],
      ],
    );
    assert.deepEqual(
      plug.properties.map((each) => read(each, '{"relay":"ON","power":"3.14159"}')),
      [true, 3.1],
    );
    assert.deepEqual(
      [plug.properties[0]?.write?.topic, plug.properties[0]?.write?.text?.(false)],
      ["plugs/1/set", "OFF"],
    );
    assert.deepEqual(
      plug.availability.map(({ topic }) => topic),
      ["plugs/1/status"],
    );
  });

  it("reads a whole device in one message, with what its components share", () => {
    take(...STATION);
    const station = only();
    assert.deepEqual([station.name, station.area], ["Weather station", "Garden"]);
    assert.deepEqual(
      station.properties.map(({ key }) => key),
      ["outdoor", "rain", "dew_point", "interval", "restart"],
    );
    const values = station.properties.map((each) => read(each, '{"t":12.5,"rain":1}'));
    assert.deepEqual(values, [12.5, true, undefined, undefined, undefined]);
    assert.equal(property("dew_point").read?.value, undefined, "a template with arithmetic is not understood");
    assert.equal(property("restart").write?.text?.("press"), "now");
    assert.deepEqual(property("interval").form, { type: "number", min: 1, max: 60, step: 1 });
    assert.equal(property("interval").isExtra, true);
    const isThere = (text: string) => station.availability[0]?.isAvailable(new IncomingMessage(Buffer.from(text)));
    assert.deepEqual(["1", "0", "2"].map(isThere), [true, false, undefined]);
  });

  it("takes an entity back with an empty message, and the device with its last entity", () => {
    for (const [topic, config] of PLUG) take(topic, config);
    dialect.take(PLUG[0]?.[0] ?? "", new IncomingMessage(Buffer.alloc(0)));
    assert.deepEqual(
      only().properties.map(({ key }) => key),
      ["power"],
    );
    dialect.take(PLUG[1]?.[0] ?? "", new IncomingMessage(Buffer.alloc(0)));
    assert.equal([...dialect.devices()].length, 0);
  });

  it("knows only topics of its own form", () => {
    for (const topic of ["homeassistant/switch/a/config", "homeassistant/switch/node/a/config"])
      assert.ok(dialect.isDescription(topic));
    for (const topic of [
      "homeassistant/status",
      "homeassistant/switch/a/state",
      "other/switch/a/config",
      "homeassistant/switch/a/b/c/config",
    ])
      assert.ok(!dialect.isDescription(topic), topic);
  });

  it("describes a lamp with a topic for each thing", () => {
    one("light", {
      name: "Desk lamp",
      stat_t: "l/on",
      cmd_t: "l/on/set",
      bri_stat_t: "l/bri",
      bri_cmd_t: "l/bri/set",
      bri_scl: 100,
      clr_temp_stat_t: "l/ct",
      clr_temp_cmd_t: "l/ct/set",
      rgb_stat_t: "l/rgb",
      rgb_cmd_t: "l/rgb/set",
      fx_cmd_t: "l/fx/set",
      fx_list: ["rainbow"],
    });
    assert.deepEqual(
      only().properties.map(({ key }) => key),
      ["state", "brightness", "color_temp", "color", "effect"],
    );
    assert.deepEqual([read(property("brightness"), "30"), write("brightness", 30)], [30, "30"]);
    assert.deepEqual([read(property("color_temp"), "250"), write("color_temp", 4_000)], [4_000, "250"]);
    assert.deepEqual([read(property("color"), "255,0,128"), write("color", "#ff0080")], ["#ff0080", "255,0,128"]);
    assert.equal(only().name, "Desk lamp");
  });

  it("describes a lamp that speaks JSON", () => {
    one("light", {
      name: null,
      schema: "json",
      stat_t: "j",
      cmd_t: "j/set",
      brightness: true,
      sup_clrm: ["hs", "color_temp"],
      dev: { ids: "j", name: "Strip" },
    });
    const members = (key: string, value: unknown) => property(key).write?.members?.(value);
    assert.deepEqual(members("state", false), { state: "OFF" });
    assert.deepEqual(members("brightness", 50), { state: "ON", brightness: 128 });
    assert.deepEqual(members("color", "#00ff00"), { state: "ON", color: { h: 120, s: 100 } });
    assert.deepEqual(
      [read(property("state"), '{"state":"ON"}'), read(property("brightness"), '{"brightness":255}')],
      [true, 100],
    );
    assert.equal(read(property("color"), '{"color":{"h":120,"s":100}}'), "#00ff00");
  });

  it("does not pretend to control what only Home Assistant's templates could", () => {
    one("light", {
      name: "T",
      schema: "template",
      cmd_t: "t/set",
      cmd_on_tpl: "on,{{ brightness|d }}",
      cmd_off_tpl: "off",
      stat_t: "t",
      stat_tpl: "{{ value }}",
    });
    assert.equal(property("state").write, undefined);
    assert.equal(read(property("state"), "on"), true);
    one("number", { name: "N", cmd_t: "n/set", cmd_tpl: "{{ value / 2 }}", stat_t: "n" }, "n");
    assert.equal([...dialect.devices()].find(({ name }) => name === "N")?.properties[0]?.write, undefined);
  });

  it("describes a cover by its words and its positions", () => {
    one("cover", {
      name: "Blind",
      cmd_t: "c/set",
      stat_t: "c",
      pl_stop: null,
      pos_t: "c/pos",
      set_pos_t: "c/pos/set",
      pos_open: 0,
      pos_clsd: 100,
      stat_clsd: "shut",
    });
    const { form } = property("state");
    assert.deepEqual(form.type === "command" && Object.keys(form.commands), ["open", "close"]);
    assert.deepEqual([read(property("state"), "shut"), write("state", "open")], ["closed", "OPEN"]);
    assert.deepEqual([read(property("position"), "25"), write("position", 80)], [75, "20"]);
  });

  it("describes a thermostat, a lock, a fan and a choice", () => {
    one("climate", {
      name: "Heat",
      mode_cmd_t: "h/mode",
      mode_stat_t: "h/m",
      modes: ["off", "heat"],
      temp_cmd_t: "h/t",
      temp_stat_t: "h/ts",
      min_temp: 7,
      max_temp: 28,
      curr_temp_t: "h/now",
    });
    assert.deepEqual(
      only().properties.map(({ key, role }) => [key, role]),
      [
        ["mode", "mode"],
        ["temperature", "temperature"],
        ["current_temperature", undefined],
      ],
    );
    assert.deepEqual(property("temperature").form, { type: "number", min: 7, max: 28 });
    one("lock", { name: "Door", cmd_t: "d/set", stat_t: "d" });
    assert.deepEqual([read(property("state"), "UNLOCKED"), write("state", "lock")], ["unlocked", "LOCK"]);
    one("lock", { name: "Door", cmd_t: "d/set", stat_t: "d", code_format: "^\\d{4}$" });
    assert.equal(property("state").write, undefined, "a lock that wants a code is only read");
    one("fan", { name: "Fan", cmd_t: "f/set", stat_t: "f", pct_cmd_t: "f/p", pct_stat_t: "f/ps", spd_rng_max: 4 });
    assert.deepEqual([read(property("speed"), "2"), write("speed", 75)], [50, "3"]);
    one("select", { name: "Program", cmd_t: "s/set", stat_t: "s", ops: ["eco", "full"] });
    assert.deepEqual(property("state").form, { type: "choice", options: ["eco", "full"] });
    one("sensor", { name: "Phase", stat_t: "p", ops: ["wash", "spin"] });
    assert.deepEqual(property("state").form, { type: "choice", options: ["wash", "spin"] });
    one("sensor", { name: "Anything", stat_t: "p" });
    assert.deepEqual(property("state").form, { type: "text" });
  });

  it("survives whatever a stranger writes", () => {
    const odd: readonly unknown[] = [
      null,
      5,
      "x",
      [],
      {},
      { dev: 5 },
      { dev: { ids: [[]] } },
      { stat_t: "#", name: {} },
      { "~": 5, stat_t: "~" },
    ];
    const components = ["light", "cover", "climate", "sensor", "select", "fan", "device", "__proto__", "constructor"];
    for (const component of components) for (const config of odd) one(component, config as object);
    one("sensor", {
      name: "\u202Eevil\n".repeat(1_000),
      stat_t: "a",
      dev: { ids: ["x".repeat(9_999)], name: "y".repeat(9_999) },
    });
    for (const { id, name } of dialect.devices()) assert.ok(id.length <= 100 && name.length <= 100);
  });

  it("takes no more devices than it has room for", () => {
    for (let n = 0; n < 1_100; n++) take(`homeassistant/sensor/s${n}/config`, { stat_t: `s/${n}`, name: `S${n}` });
    assert.deepEqual([[...dialect.devices()].length, dialect.isFull], [1_000, true]);
  });
});

function take(topic: string, config: object): void {
  dialect.take(topic, new IncomingMessage(Buffer.from(JSON.stringify(config))));
}

/** One entity in the place of all that were there, or beside them under an id of its own. */
function one(component: string, config: object, id = "x"): void {
  if (id === "x") dialect = new HomeAssistantDialect("homeassistant");
  take(`homeassistant/${component}/${id}/config`, config);
}

function only(): Device {
  const [device, ...others] = [...dialect.devices()] as [Device, ...Device[]];
  assert.equal(others.length, 0);
  return device;
}

function property(key: string): Property {
  return [...dialect.devices()].flatMap(({ properties }) => properties).find((each) => each.key === key) as Property;
}

function read({ read: how }: Property, text: string): unknown {
  return how?.value?.(new IncomingMessage(Buffer.from(text)));
}

function write(key: string, value: unknown): string | undefined {
  return property(key).write?.text?.(value);
}
