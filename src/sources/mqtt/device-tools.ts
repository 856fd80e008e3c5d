/** The tools that show devices, from what is known of them, without asking anybody. */
import type { Language } from "../../messages/catalogue.ts";
import { Refusal, similar, type ToolCall } from "../shared/tool-call.ts";
import type { Tool } from "./broker.ts";
import { domainOf, mainOf, nameOf, type Property, wordsFor } from "./discovery/device.ts";
import { isOnline, type LiveDevice } from "./live-devices.ts";
import { tell } from "./texts/index.ts";
import { MOST_SHOWN, USUALLY_SHOWN } from "./tools.ts";

/** So many values say what a device does at the moment. */
const MOST_VALUES = 6;

export const listDevices: Tool = async ({ devices }, { args, language }) => {
  const offset = args.number("offset", 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = args.number("limit", USUALLY_SHOWN, 1, MOST_SHOWN);
  const all = devices.all();
  const words = folded(args.text("search")).split(" ");
  const [kind, state] = [args.text("kind").toLowerCase(), args.text("state").toLowerCase()];
  const fits = (live: LiveDevice): boolean =>
    (kind === "" || live.device.properties.some(({ domain }) => domain === kind)) &&
    (state === "" || hasState(live, state)) &&
    words.every((word) => folded(`${live.device.name} ${live.device.area ?? ""}`).includes(word));
  const found = all.filter(fits).sort((a, b) => a.device.name.localeCompare(b.device.name));
  const page = found.slice(offset, offset + limit).map((live) => summaryOf(live, language));
  const next = offset + page.length < found.length ? offset + page.length : undefined;
  const lines = page.map(({ name, kind: is, state: now }) => `- ${name} (${is}): ${now}`);
  const head = { shown: page.length, total: found.length };
  const first =
    found.length > 0 ? tell(language, "devices", head) : tell(language, all.length > 0 ? "noDevices" : "noneKnown");
  const last = next === undefined ? [] : [tell(language, "more", { next })];
  const structured = { total: found.length, devices: page, ...(next !== undefined && { next_offset: next }) };
  return { text: [first, ...lines, ...last].join("\n"), structured };
};

export const getDevice: Tool = async ({ devices }, call) => {
  const { live } = findDevice(devices.all(), call);
  const { maker, model } = live.device;
  const properties = live.device.properties.map((property) => described(live, property));
  const structured = {
    ...summaryOf(live, call.language),
    ...(maker !== undefined && { maker }),
    ...(model !== undefined && { model }),
    properties,
  };
  return { text: JSON.stringify(structured, undefined, 2), structured };
};

/** "brightness 50 %" of a property, and only "on" of a device's main one. */
export function sayValue(property: Property, value: unknown, isMain: boolean): string {
  const words = wordsFor(property, value);
  const unit = property.unit === undefined || value === undefined ? "" : ` ${property.unit}`;
  return isMain && property.label === "state" ? `${words}${unit}` : `${property.label} ${words}${unit}`;
}

interface Summary {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly online?: boolean;
  readonly area?: string;
}

function summaryOf(live: LiveDevice, language: Language): Summary {
  const { device, values } = live;
  const main = mainOf(device);
  const others = device.properties.filter((each) => each !== main && !each.isExtra && values.has(each.key));
  const worth = [...(main ? [main] : []), ...others].slice(0, MOST_VALUES);
  const said = worth.map((property) => sayValue(property, values.get(property.key)?.value, property === main));
  const online = isOnline(live);
  const state = [...(online === false ? [tell(language, "offline")] : []), ...said].join(", ");
  return {
    id: device.id,
    name: device.name,
    kind: domainOf(device),
    state,
    ...(online !== undefined && { online }),
    ...(device.area !== undefined && { area: device.area }),
  };
}

function hasState({ device, values }: LiveDevice, state: string): boolean {
  return device.properties.some((property) => {
    const known = values.get(property.key);
    return (
      property.domain !== undefined && known !== undefined && wordsFor(property, known.value).toLowerCase() === state
    );
  });
}

/** All that a caller needs to set it. */
function described({ values }: LiveDevice, property: Property): object {
  const { key, label, domain, role, form, unit, read, write } = property;
  const known = values.get(key);
  return {
    name: key,
    label,
    value: known?.value ?? null,
    ...(unit !== undefined && { unit }),
    ...(domain !== undefined && { kind: domain }),
    ...(known && { changed_utc: new Date(known.changedAt).toISOString() }),
    // How to read it stands in a template that is not understood.
    ...(read && !read.value && { readable: false }),
    settable: write !== undefined,
    ...(write &&
      role !== undefined && { argument: ["power", "cover", "lock", "press"].includes(role) ? "state" : role }),
    ...(form.type === "choice" && form.options.length > 0 && { options: form.options }),
    ...(form.type === "command" && { options: Object.keys(form.commands) }),
    ...(form.type === "number" && { min: form.min, max: form.max, step: form.step }),
  };
}

export interface Found {
  readonly live: LiveDevice;
  /** Where one of several relays, or the like, was named. */
  readonly property?: Property | undefined;
}

/** The device that somebody means: by its id, its name, the name of one of its properties, or words of it. */
export function findDevice(all: readonly LiveDevice[], { args, language }: ToolCall): Found {
  const name = args.neededText("device");
  const wanted = folded(name);
  const byId = all.find(({ device }) => device.id === name);
  if (byId) return { live: byId };
  const called = all.filter(({ device }) => folded(device.name) === wanted);
  const close = called.length > 0 ? called : containing(all, wanted);
  const [only] = close;
  const exact = called.length > 0 ? undefined : propertyCalled(all, wanted);
  if (exact) return exact;
  if (only && close.length === 1) return { live: only };
  if (called.length > 1) {
    const ids = called.map(({ device }) => device.id).join(", ");
    throw new Refusal(tell(language, "severalDevices", { name, ids }));
  }
  const alike = close.length > 0 ? close.slice(0, 5) : similar(name, all, ({ device }) => [device.name]);
  const names = alike.map(({ device }) => device.name).join(", ");
  const advice = names === "" ? tell(language, "useList") : tell(language, "nearest", { names });
  throw new Refusal(tell(language, "unknownDevice", { name }), advice);
}

/** By the name of a relay of a strip, as lists and the console show it. */
function propertyCalled(all: readonly LiveDevice[], wanted: string): Found | undefined {
  for (const live of all) {
    const property = live.device.properties.find((each) => folded(nameOf(live.device, each)) === wanted);
    if (property) return { live, property };
  }
  return undefined;
}

/** Whatever the letters look like in upper case, with accents, or with other signs between words. */
export function folded(text: string): string {
  const letters = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return letters.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function containing(all: readonly LiveDevice[], wanted: string): readonly LiveDevice[] {
  const words = wanted.split(" ");
  return all.filter(({ device }) => words.every((word) => folded(device.name).split(" ").includes(word)));
}
