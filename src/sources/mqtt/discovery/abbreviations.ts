/**
 * The short names in Home Assistant's discovery messages, written out. Nearly all are made word by word (`bri_cmd_t` is
 * `brightness_command_topic`), so the table has words; the few others stand by themselves. A table. Pure.
 */
import { isObject } from "../../../contract/rules.ts";
import type { Fields } from "../../shared/tool-call.ts";

const WORDS: Readonly<Record<string, string>> = {
  act: "action",
  attr: "attributes",
  avail: "available",
  avty: "availability",
  bri: "brightness",
  cat: "category",
  cla: "class",
  clr: "color",
  clrm: "color_modes",
  cls: "close",
  clsd: "closed",
  cmd: "command",
  cmps: "components",
  curr: "current",
  def: "default",
  dev: "device",
  dir: "direction",
  en: "enabled_by_default",
  ent: "entity",
  evt: "event",
  fx: "effect",
  hum: "humidity",
  ic: "icon",
  init: "initial",
  k: "kelvin",
  lst: "list",
  meas: "measurement",
  mirs: "mireds",
  o: "origin",
  obj: "object",
  ops: "options",
  opt: "optimistic",
  osc: "oscillation",
  p: "platform",
  pct: "percentage",
  pl: "payload",
  pos: "position",
  pow: "power",
  pr: "preset",
  prs: "press",
  ptrn: "pattern",
  ret: "retain",
  rng: "range",
  scl: "scale",
  spd: "speed",
  stat: "state",
  sup: "supported",
  t: "topic",
  tpl: "template",
  typ: "types",
  uniq: "unique",
  unlk: "unlock",
  val: "value",
};

const WHOLE: Readonly<Record<string, string>> = {
  evt_typ: "event_types",
  hum_cmd_t: "target_humidity_command_topic",
  hum_cmd_tpl: "target_humidity_command_template",
  hum_stat_t: "target_humidity_state_topic",
  hum_state_tpl: "target_humidity_state_template",
  tilt_clsd: "tilt_closed_value",
  tilt_opnd: "tilt_opened_value",
  tilt_stat_t: "tilt_status_topic",
  tilt_stat_tpl: "tilt_status_template",
  sup_feat: "supported_features",
};

const OF_DEVICES: Readonly<Record<string, string>> = {
  cns: "connections",
  ids: "identifiers",
  mdl: "model",
  mf: "manufacturer",
  sa: "suggested_area",
};

/** The members of a component with whole names, and with its base topic (`~`) put in. */
export function expanded(config: Fields): Fields {
  const base = config["~"];
  const members = Object.entries(config).map(([key, value]) => {
    const name = longName(key);
    if (name === "device" && isObject(value)) return [name, renamed(value, OF_DEVICES)];
    if (name === "availability" && Array.isArray(value)) return [name, value.map((each) => nested(each, base))];
    return [name, /(?:^|_)topic$/.test(name) ? withBase(value, base) : value];
  });
  return Object.fromEntries(members);
}

/** An element of the list of availability, which has the same base. */
function nested(value: unknown, base: unknown): unknown {
  return isObject(value) ? expanded({ ...value, "~": base }) : value;
}

function longName(key: string): string {
  if (Object.hasOwn(WHOLE, key)) return WHOLE[key] as string;
  const words = key.split("_").map((word) => (Object.hasOwn(WORDS, word) ? WORDS[word] : word));
  // Only here does "temp" stand for the whole word: "max_temp" and "color_temp" are names as they are.
  return words
    .join("_")
    .replace(/^temp_/, "temperature_")
    .replace("current_temp_", "current_temperature_");
}

function renamed(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] as string) : key, value]),
  );
}

function withBase(value: unknown, base: unknown): unknown {
  if (typeof value !== "string" || typeof base !== "string") return value;
  return value.replace(/^~|~$/, () => base);
}
