/**
 * What each component of Home Assistant's discovery can tell and be told, as properties of a device. Defaults are those of
 * its documentation. A table, and therefore long. Pure.
 */
import type { Property, Read, Role, Write } from "./device.ts";
import type { EntityConfig } from "./entity-config.ts";
import { colorOf, fromPercent, hueOf, numberOf, reciprocal, rgbOf, type Scale, toPercent, xyOf } from "./units.ts";

/** A property of an entity, before it is one of a device. The first of an entity is "state". */
export type Draft = Omit<Property, "key" | "label" | "isExtra"> & { readonly suffix: string };

type Component = (c: EntityConfig) => readonly Draft[];

const PERCENT = { type: "number", min: 0, max: 100 } as const;
const text = (value: unknown): unknown => (typeof value === "object" ? value : String(value));
const number = (value: unknown): unknown => numberOf(value);
const same = (value: unknown): unknown => value;
const lower = (value: unknown): string => String(value).toLowerCase();

export const COMPONENTS: Readonly<Record<string, Component>> = {
  binary_sensor: (c) => [{ ...state("binary_sensor"), form: { type: "switch" }, read: readSwitch(c, "payload") }],
  sensor: (c) => [sensor(c)],
  switch: (c) => [power(c, "switch", "state")],
  siren: (c) => [{ ...state("siren"), form: { type: "switch" }, read: readSwitch(c, "state") }],
  light: (c) => (c.text("schema") === "json" ? jsonLight(c) : plainLight(c)),
  cover: (c) => cover(c),
  valve: (c) => (c.flag("reports_position") ? [] : [openAndClose(c, "valve", null)]),
  lock: (c) => [lock(c)],
  fan: (c) => fan(c),
  humidifier: (c) => [
    power(c, "humidifier", "state"),
    numeric(
      c,
      "target_humidity",
      "target_humidity_command",
      "target_humidity_state",
      ["min_humidity", "max_humidity"],
      "%",
    ),
    chosen(c, "mode", "modes", "mode_command", "mode_state", "mode"),
    reading(c, "current_humidity", "%"),
  ],
  climate: (c) => climate(c),
  water_heater: (c) => climate(c),
  number: (c) => [
    {
      ...state("number"),
      form: { type: "number", min: c.number("min", 1), max: c.number("max", 100), step: c.number("step", 1) },
      unit: c.text("unit_of_measurement"),
      read: c.read("state_topic", "value_template", number),
      write: c.write("command_topic", "command_template", same),
    },
  ],
  select: (c) => [{ ...chosen(c, "state", "options", "command", "state"), domain: "select", ...plainTopics(c) }],
  text: (c) => [{ ...state("text"), form: { type: "text", max: c.number("max", 255) }, ...plainTopics(c) }],
  button: (c) => [press(c, "button", "payload_press", "PRESS")],
  scene: (c) => [press(c, "scene", "payload_on", "ON")],
  vacuum: (c) => [reads(c, "vacuum")],
  lawn_mower: (c) => [
    {
      ...state("lawn_mower"),
      form: { type: "text" },
      read: c.read("activity_state_topic", "activity_value_template", text),
    },
  ],
  // To arm or disarm may need a code, which no model should be asked for.
  alarm_control_panel: (c) => [reads(c, "alarm_control_panel")],
  device_tracker: (c) => [reads(c, "device_tracker")],
  event: (c) => [reads(c, "event")],
  update: (c) => [reads(c, "update")],
};

function state(domain: string): { readonly suffix: string; readonly domain: string } {
  return { suffix: "state", domain };
}

function reads(c: EntityConfig, domain: string): Draft {
  return { ...state(domain), form: { type: "text" }, read: c.read("state_topic", "value_template", text) };
}

function sensor(c: EntityConfig): Draft {
  const [unit, options] = [c.text("unit_of_measurement"), c.list("options")];
  // Whoever has a unit counts; what cannot be counted is shown as it is.
  const convert = unit === undefined ? text : (value: unknown): unknown => numberOf(value) ?? text(value);
  const form = options.length > 0 ? ({ type: "choice", options } as const) : ({ type: "text" } as const);
  return { ...state("sensor"), form, unit, read: c.read("state_topic", "value_template", convert) };
}

/** @param states whether what it reports has names of its own, or those of its commands */
function readSwitch(
  c: EntityConfig,
  states: "state" | "payload",
  topic = "state_topic",
  template?: string,
): Read | undefined {
  const [on, off] = [c.payload("payload_on", "ON") ?? "ON", c.payload("payload_off", "OFF") ?? "OFF"];
  const isOn = states === "state" ? c.payload("state_on", on) : on;
  const isOff = states === "state" ? c.payload("state_off", off) : off;
  const convert = (value: unknown): boolean | undefined => {
    const said = String(value);
    return said === isOn ? true : said === isOff ? false : undefined;
  };
  return c.read(topic, template ?? (c.has("value_template") ? "value_template" : "state_value_template"), convert);
}

function power(c: EntityConfig, domain: string, states: "state" | "payload"): Draft {
  const tell = (value: unknown): unknown => (value ? c.payload("payload_on", "ON") : c.payload("payload_off", "OFF"));
  const write = c.write("command_topic", "command_template", tell);
  return { ...state(domain), role: "power", form: { type: "switch" }, read: readSwitch(c, states), write };
}

function press(c: EntityConfig, domain: string, key: string, otherwise: string): Draft {
  const write = c.write("command_topic", "command_template", () => c.payload(key, otherwise));
  return { ...state(domain), role: "press", form: { type: "command", commands: { press: [] } }, write };
}

function plainTopics(c: EntityConfig): { readonly read: Read | undefined; readonly write: Write | undefined } {
  return {
    read: c.read("state_topic", "value_template", text),
    write: c.write("command_topic", "command_template", same),
  };
}

/** One of several words; `topics` are the names of the members without `_topic` and `_template`. */
function chosen(c: EntityConfig, suffix: string, list: string, command: string, states: string, role?: Role): Draft {
  const template = c.has(`${states}_template`) ? `${states}_template` : `${suffix}_value_template`;
  return {
    suffix,
    role,
    form: { type: "choice", options: c.list(list) },
    read: c.read(`${states}_topic`, template, text),
    write: c.write(`${command}_topic`, `${command}_template`, same, [suffix]),
  };
}

function numeric(
  c: EntityConfig,
  suffix: string,
  command: string,
  states: string,
  [min, max]: readonly [string, string],
  unit: string | undefined,
  role?: Role,
): Draft {
  const bounds = { ...(c.has(min) && { min: c.number(min, 0) }), ...(c.has(max) && { max: c.number(max, 100) }) };
  return {
    suffix,
    role,
    unit,
    form: { type: "number", ...bounds },
    read: c.read(`${states}_topic`, `${states}_template`, number),
    write: c.write(`${command}_topic`, `${command}_template`, same),
  };
}

/** A number that can only be read. */
function reading(c: EntityConfig, suffix: string, unit?: string): Draft {
  return { suffix, unit, form: { type: "number" }, read: c.read(`${suffix}_topic`, `${suffix}_template`, number) };
}

const OPENED = { open: ["open", "opening"], close: ["closed", "closing"], stop: [] } as const;

function openAndClose(c: EntityConfig, domain: string, stop: string | null): Draft {
  const payloads: Readonly<Record<string, string | null>> = {
    open: c.payload("payload_open", "OPEN"),
    close: c.payload("payload_close", "CLOSE"),
    stop: stop === null && !c.has("payload_stop") ? null : c.payload("payload_stop", "STOP"),
  };
  const can = Object.entries(OPENED).filter(([name]) => payloads[name] !== null);
  const words = ["open", "opening", "closed", "closing", "stopped"];
  const named = new Map(words.map((word) => [c.payload(`state_${word}`, word), word]));
  const read = c.read("state_topic", "value_template", (value) => named.get(String(value)));
  const byPosition = c.read("position_topic", "position_template", (value) =>
    toPercent(value, positions(c)) === 0 ? "closed" : "open",
  );
  return {
    ...state(domain),
    role: "cover",
    form: { type: "command", commands: Object.fromEntries(can) },
    read: read ?? byPosition,
    write: c.write("command_topic", "command_template", (value) => payloads[String(value)]),
  };
}

function positions(c: EntityConfig): Scale {
  return { from: c.number("position_closed", 0), to: c.number("position_open", 100) };
}

function cover(c: EntityConfig): readonly Draft[] {
  const scale = positions(c);
  const tilt = { from: c.number("tilt_min", 0), to: c.number("tilt_max", 100) };
  const percent = (value: unknown, on: Scale): unknown => fromPercent(Number(value), on);
  return [
    openAndClose(c, "cover", "STOP"),
    {
      suffix: "position",
      role: "position",
      form: PERCENT,
      unit: "%",
      read: c.read("position_topic", "position_template", (value) => toPercent(value, scale)),
      write: c.write("set_position_topic", "set_position_template", (value) => percent(value, scale), ["position"]),
    },
    {
      suffix: "tilt",
      role: "tilt",
      form: PERCENT,
      unit: "%",
      read: c.read("tilt_status_topic", "tilt_status_template", (value) => toPercent(value, tilt)),
      write: c.write("tilt_command_topic", "tilt_command_template", (value) => percent(value, tilt), ["tilt_position"]),
    },
  ];
}

function lock(c: EntityConfig): Draft {
  const payloads: Readonly<Record<string, string | null>> = {
    lock: c.payload("payload_lock", "LOCK"),
    unlock: c.payload("payload_unlock", "UNLOCK"),
  };
  const words = ["locked", "locking", "unlocked", "unlocking", "jammed"];
  const named = new Map(words.map((word) => [c.payload(`state_${word}`, word.toUpperCase()), word]));
  const commands = { lock: ["locked", "locking"], unlock: ["unlocked", "unlocking"] };
  return {
    ...state("lock"),
    role: "lock",
    form: { type: "command", commands },
    read: c.read("state_topic", "value_template", (value) => named.get(String(value))),
    // A lock that wants a code is not opened from here.
    write: c.has("code_format")
      ? undefined
      : c.write("command_topic", "command_template", (value) => payloads[String(value)]),
  };
}

function fan(c: EntityConfig): readonly Draft[] {
  const scale = { from: c.number("speed_range_min", 1) - 1, to: c.number("speed_range_max", 100) };
  return [
    { ...power(c, "fan", "payload"), read: readSwitch(c, "payload", "state_topic", "state_value_template") },
    {
      suffix: "speed",
      form: PERCENT,
      unit: "%",
      read: c.read("percentage_state_topic", "percentage_value_template", (value) => toPercent(value, scale)),
      write: c.write("percentage_command_topic", "percentage_command_template", (value) =>
        fromPercent(Number(value), scale),
      ),
    },
    chosen(c, "preset_mode", "preset_modes", "preset_mode_command", "preset_mode_state", "mode"),
  ];
}

function climate(c: EntityConfig): readonly Draft[] {
  const unit = c.text("temperature_unit") === "F" ? "°F" : "°C";
  const bounds = ["min_temp", "max_temp"] as const;
  const target = (suffix: string, role?: Role): Draft =>
    numeric(c, suffix, `${suffix}_command`, `${suffix}_state`, bounds, unit, role);
  const choice = (suffix: string, role?: Role): Draft =>
    chosen(c, suffix, `${suffix}s`, `${suffix}_command`, `${suffix}_state`, role);
  return [
    { ...choice("mode", "mode"), domain: "climate" },
    target("temperature", "temperature"),
    target("temperature_low"),
    target("temperature_high"),
    reading(c, "current_temperature", unit),
    reading(c, "current_humidity", "%"),
    { suffix: "action", form: { type: "text" }, read: c.read("action_topic", "action_template", text) },
    choice("fan_mode"),
    choice("swing_mode"),
    { ...choice("preset_mode"), read: c.read("preset_mode_state_topic", "preset_mode_value_template", text) },
  ];
}

/** The modes of colour in which some part of a colour can be told, by how it is told. */
const COLOR_FORMS: readonly (readonly [RegExp, (hex: string) => object])[] = [
  [/^rgb/, rgbOf],
  [/^hs$/, hueOf],
  [/^xy$/, xyOf],
];

function jsonLight(c: EntityConfig): readonly Draft[] {
  const modes = c.list("supported_color_modes");
  const member = (name: string, convert: (value: unknown) => unknown): Read | undefined => {
    const topic = c.topic("state_topic");
    if (topic === undefined) return undefined;
    const value = ({ json }: { readonly json: unknown }): unknown => {
      const found =
        typeof json === "object" && json !== null && Object.hasOwn(json, name)
          ? json[name as keyof typeof json]
          : undefined;
      return found === undefined || found === null ? undefined : convert(found);
    };
    return { topic, value };
  };
  // Whatever else is told turns it on.
  const tell = (name: string, convert: (value: unknown) => unknown): Write | undefined =>
    c.writeMembers((value) => ({ state: "ON", [name]: convert(value) }));
  const isOn = (value: unknown): boolean | undefined => ({ ON: true, OFF: false })[String(value)];
  const drafts: Draft[] = [
    {
      ...state("light"),
      role: "power",
      form: { type: "switch" },
      read: member("state", isOn),
      write: c.writeMembers((value) => ({ state: value ? "ON" : "OFF" })),
    },
  ];
  if (c.flag("brightness") || modes.some((mode) => mode !== "onoff")) {
    const scale = { from: 0, to: c.number("brightness_scale", 255) };
    drafts.push(
      dimmer(
        member("brightness", (value) => toPercent(value, scale)),
        tell("brightness", (value) => fromPercent(Number(value), scale)),
      ),
    );
  }
  if (modes.includes("color_temp") || c.flag("color_temp")) {
    const convert = c.flag("color_temp_kelvin") ? number : reciprocal;
    drafts.push(warmth(c, member("color_temp", convert), tell("color_temp", convert)));
  }
  const form = COLOR_FORMS.find(([mode]) => modes.some((each) => mode.test(each)))?.[1];
  if (form)
    drafts.push(
      color(
        member("color", colorOf),
        tell("color", (value) => form(String(value))),
      ),
    );
  if (c.list("effect_list").length > 0) drafts.push(effects(c, member("effect", text), tell("effect", same)));
  return drafts;
}

function plainLight(c: EntityConfig): readonly Draft[] {
  const isTemplate = c.text("schema") === "template";
  const scale = { from: 0, to: c.number("brightness_scale", 255) };
  const convert = c.flag("color_temp_kelvin") ? number : reciprocal;
  const light = power(c, "light", "payload");
  // What is sent by such a light is made by templates that only Home Assistant understands.
  if (isTemplate)
    return [
      {
        ...light,
        read: c.read("state_topic", "state_template", (value) => ({ on: true, off: false })[lower(value)]),
        write: undefined,
      },
    ];
  const listed = (value: unknown, names: readonly string[]): string | undefined => {
    const parts = String(value).split(",");
    return colorOf(Object.fromEntries(names.map((name, index) => [name, parts[index]])));
  };
  const kinds = [
    { kind: "rgb", names: ["r", "g", "b"], form: rgbOf },
    { kind: "hs", names: ["h", "s"], form: hueOf },
    { kind: "xy", names: ["x", "y"], form: xyOf },
  ];
  const kind = kinds.find((each) => c.has(`${each.kind}_command_topic`));
  return [
    { ...light, read: readSwitch(c, "payload", "state_topic", "state_value_template") },
    dimmer(
      c.read("brightness_state_topic", "brightness_value_template", (value) => toPercent(value, scale)),
      c.write("brightness_command_topic", "brightness_command_template", (value) => fromPercent(Number(value), scale)),
    ),
    warmth(
      c,
      c.read("color_temp_state_topic", "color_temp_value_template", convert),
      c.write("color_temp_command_topic", "color_temp_command_template", convert),
    ),
    ...(kind
      ? [
          color(
            c.read(`${kind.kind}_state_topic`, `${kind.kind}_value_template`, (value) => listed(value, kind.names)),
            // A template would have to put the parts together.
            c.has(`${kind.kind}_command_template`)
              ? undefined
              : c.write(`${kind.kind}_command_topic`, "", (value) => Object.values(kind.form(String(value))).join(",")),
          ),
        ]
      : []),
    effects(
      c,
      c.read("effect_state_topic", "effect_value_template", text),
      c.write("effect_command_topic", "effect_command_template", same),
    ),
  ];
}

function dimmer(read: Read | undefined, write: Write | undefined): Draft {
  return { suffix: "brightness", role: "brightness", form: PERCENT, unit: "%", read, write };
}

function warmth(c: EntityConfig, read: Read | undefined, write: Write | undefined): Draft {
  const min = c.has("min_kelvin") ? c.number("min_kelvin", 2_000) : (reciprocal(c.number("max_mireds", 500)) ?? 2_000);
  const max = c.has("max_kelvin") ? c.number("max_kelvin", 6_500) : (reciprocal(c.number("min_mireds", 153)) ?? 6_500);
  return { suffix: "color_temp", role: "color_temp", form: { type: "number", min, max }, unit: "K", read, write };
}

function color(read: Read | undefined, write: Write | undefined): Draft {
  return { suffix: "color", role: "color", form: { type: "color" }, read, write };
}

function effects(c: EntityConfig, read: Read | undefined, write: Write | undefined): Draft {
  return { suffix: "effect", form: { type: "choice", options: c.list("effect_list") }, read, write };
}
