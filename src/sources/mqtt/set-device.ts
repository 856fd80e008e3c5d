/**
 * The tool that sets a device: what is wanted is held against what the device said it can do, sent once, and then the
 * device has a moment to report. "Sent" and "confirmed" are two things, and the answer says which of them it was.
 */
import { PublishRefused } from "../../link/mqtt.ts";
import type { Language } from "../../messages/catalogue.ts";
import { type Fields, Refusal, type ToolCall } from "../shared/tool-call.ts";
import type { Broker, Tool } from "./broker.ts";
import { type Found, findDevice, folded, sayValue } from "./device-tools.ts";
import { type Form, isReached, type Property, type Role } from "./discovery/device.ts";
import { isOnline, type LiveDevice } from "./live-devices.ts";
import { isTextKey, tell } from "./texts/index.ts";
import { ROLE_ARGUMENTS, STATE_WORDS } from "./tools.ts";

/** How long a device has to report; most need a tenth of a second. */
const REPORT_MS = 2_000;

interface Wish {
  readonly property: Property;
  readonly value: unknown;
}

export const setDevice: Tool = async (broker, call) => {
  const found = findDevice(broker.devices.all(), call);
  const wishes = wishesOf(found, call);
  const { live } = found;
  const before = broker.devices.reports;
  for (const message of messagesFor(wishes)) await send(broker, message, call);
  const { outcome, reported } = await reportOf(broker, live, wishes, before, call);
  const { language } = call;
  const says = (pairs: readonly Wish[]): string =>
    pairs.map(({ property, value }) => sayValue(property, value, false)).join(", ");
  const canReport = wishes.some(({ property }) => property.read?.value);
  const key = outcome === "sent" && !canReport ? "sentOnly" : outcome;
  const params = {
    device: live.device.name,
    values: says(wishes),
    reported: says(reported),
    seconds: REPORT_MS / 1_000,
  };
  const text = tell(language, key, params);
  const offline = outcome !== "confirmed" && isOnline(live) === false ? ` ${tell(language, "isOffline")}` : "";
  const structured = { device: live.device.name, outcome, sent: valuesOf(wishes), reported: valuesOf(reported) };
  return { text: text + offline, structured };
};

function valuesOf(wishes: readonly Wish[]): Fields {
  return Object.fromEntries(wishes.map(({ property, value }) => [property.key, value]));
}

function wishesOf(found: Found, { args, language }: ToolCall): readonly Wish[] {
  const { live } = found;
  const setter = new Setter(found, language);
  const state = args.text("state").toLowerCase();
  const wishes = [
    ...ROLE_ARGUMENTS.flatMap((role) => {
      const value = args.value(role);
      return value === undefined ? [] : [setter.byRole(role, role, value)];
    }),
    ...Object.entries(args.object("properties") ?? {}).map(([name, value]) => setter.byName(name, value)),
    // Last: what turns a lamp off must not be followed by what turns it on.
    ...(state === "" ? [] : [setter.byState(state)]),
  ];
  if (wishes.length > 0) return wishes;
  const keys = setter.names();
  throw new Refusal(
    keys === "" ? tell(language, "readOnly", { device: live.device.name }) : tell(language, "nothingToSet", { keys }),
  );
}

/** Finds the property that is meant, and holds a value against its form. */
class Setter {
  readonly #live: LiveDevice;
  readonly #settable: readonly Property[];
  readonly #language: Language;

  constructor({ live, property }: Found, language: Language) {
    this.#live = live;
    this.#language = language;
    const meant = property?.write ? withParts(live, property) : live.device.properties;
    this.#settable = meant.filter(({ write }) => write !== undefined);
  }

  names(): string {
    return this.#settable.map(({ key }) => key).join(", ");
  }

  byRole(role: Role, what: string, value: unknown): Wish {
    const property = this.#withRole(role, what);
    return { property, value: this.#checked(property, value) };
  }

  byState(word: string): Wish {
    const [role] = Object.entries(STATE_WORDS).find(([, words]) => (words as readonly string[]).includes(word)) ?? [];
    if (role === undefined) throw this.#cannot(word);
    const property = this.#withRole(role as Role, word);
    if (word !== "toggle") return { property, value: this.#checked(property, word) };
    const now = this.#live.values.get(property.key)?.value;
    if (typeof now !== "boolean") throw this.#refusal("noToggle");
    return { property, value: !now };
  }

  byName(name: string, value: unknown): Wish {
    const property = this.#settable.find(({ key, label }) => key === name || folded(label) === folded(name));
    if (!property) throw this.#cannot(name);
    return { property, value: this.#checked(property, value) };
  }

  #withRole(role: Role, what: string): Property {
    const all = this.#settable.filter((each) => each.role === role);
    const usual = all.filter(({ isExtra }) => !isExtra);
    const [only, another] = usual.length > 0 ? usual : all;
    if (!only) throw this.#cannot(what);
    if (another) throw this.#refusal("ambiguous", { keys: all.map(({ key }) => key).join(", ") });
    return only;
  }

  #checked({ key, form }: Property, value: unknown): unknown {
    const read = valueFor(form, value);
    if (read !== undefined) return read;
    switch (form.type) {
      case "number":
        throw this.#refusal("needsNumber", { key, min: form.min ?? "−∞", max: form.max ?? "∞" });
      case "choice":
        throw this.#refusal("needsChoice", { key, options: form.options.join(", ") });
      case "command":
        throw this.#refusal("needsChoice", { key, options: Object.keys(form.commands).join(", ") });
      case "color":
        throw this.#refusal("needsColor", { key });
      case "text":
        throw this.#refusal("needsText", { key, max: form.max ?? LONGEST_TEXT });
      default:
        throw this.#refusal("needsSwitch", { key });
    }
  }

  #cannot(what: string): Refusal {
    return this.#settable.length === 0
      ? this.#refusal("readOnly")
      : this.#refusal("cannot", { what, keys: this.names() });
  }

  #refusal(
    key: "ambiguous" | "cannot" | "noToggle" | "readOnly" | `needs${string}`,
    params: Readonly<Record<string, string | number>> = {},
  ): Refusal {
    return new Refusal(isTextKey(key) ? tell(this.#language, key, { device: this.#live.device.name, ...params }) : key);
  }
}

/** A lamp among several, with its own brightness: what belongs to it is named after it. */
function withParts({ device }: LiveDevice, property: Property): readonly Property[] {
  return device.properties.filter(({ key }) => key === property.key || key.startsWith(`${property.key}_`));
}

const LONGEST_TEXT = 255;
const SWITCHES: Readonly<Record<string, boolean>> = { true: true, false: false, on: true, off: false };

/** Undefined of what the form does not allow. */
function valueFor(form: Form, value: unknown): unknown {
  switch (form.type) {
    case "switch":
      return SWITCHES[String(value).toLowerCase()];
    case "number": {
      const isIn = typeof value === "number" && value >= (form.min ?? -Infinity) && value <= (form.max ?? Infinity);
      return isIn ? value : undefined;
    }
    case "choice": {
      const word = String(value).toLowerCase();
      return (
        form.options.find((option) => option === value) ?? form.options.find((option) => option.toLowerCase() === word)
      );
    }
    case "command":
      return Object.hasOwn(form.commands, String(value)) ? value : undefined;
    case "color":
      return /^#[0-9a-f]{6}$/i.test(String(value)) ? String(value).toLowerCase() : undefined;
    case "text":
      return typeof value === "string" && value.length <= (form.max ?? LONGEST_TEXT) ? value : undefined;
    case "data":
      return value ?? undefined;
  }
}

interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1 | 2 | undefined;
  readonly retain: boolean;
}

/** What goes to one topic as members of an object goes in one message. */
function messagesFor(wishes: readonly Wish[]): readonly Outgoing[] {
  const gathered = new Map<string, Fields>();
  const single: (Wish & { readonly text: string | undefined })[] = [];
  for (const wish of wishes) {
    const { topic = "", members, text } = wish.property.write ?? {};
    if (members) gathered.set(topic, { ...gathered.get(topic), ...members(wish.value) });
    else single.push({ ...wish, text: text?.(wish.value) });
  }
  const callOptions = ({ property: { write } }: Wish) => ({ qos: write?.qos, retain: write?.retain ?? false });
  const objects = [...gathered].map(([topic, members]) => {
    const wish = wishes.find(({ property }) => property.write?.topic === topic) as Wish;
    return { topic, payload: JSON.stringify(members), ...callOptions(wish) };
  });
  return [
    ...objects,
    ...single.map((wish) => ({
      topic: wish.property.write?.topic ?? "",
      payload: wish.text ?? "",
      ...callOptions(wish),
    })),
  ];
}

async function send(
  { link, options }: Broker,
  { topic, payload, qos, retain }: Outgoing,
  call: ToolCall,
): Promise<void> {
  await link.publish(topic, payload, { qos: qos ?? options.qos, retain }, call.signal).catch((cause) => {
    throw cause instanceof PublishRefused ? refusedBy(cause, topic, call.language) : cause;
  });
}

export function refusedBy({ code }: PublishRefused, topic: string, language: Language): Refusal {
  const key = `refused.${code}`;
  return new Refusal(tell(language, isTextKey(key) ? key : "refused.other", { topic, code }));
}

interface Report {
  readonly outcome: "confirmed" | "sent" | "differs";
  readonly reported: readonly Wish[];
}

/** Waits until the device has reported all that was wanted, or its time is over. Who leaves meanwhile has sent it all the same. */
async function reportOf(
  { devices, clock, link }: Broker,
  { device, values }: LiveDevice,
  wishes: readonly Wish[],
  before: number,
  { signal }: ToolCall,
): Promise<Report> {
  const readable = wishes.filter(({ property }) => property.read?.value);
  const fresh = (): readonly (Wish & { readonly isReached: boolean })[] =>
    readable.flatMap(({ property, value: told }) => {
      const now = valuesNow().get(property.key);
      if (!now || now.report <= before) return [];
      return [{ property, value: now.value, isReached: isReached(property, told, now.value) }];
    });
  // The device may have been described anew meanwhile.
  const valuesNow = () => devices.all().find((each) => each.device.id === device.id)?.values ?? values;
  const isDone = (): boolean =>
    readable.length > 0 && fresh().filter((each) => each.isReached).length === readable.length;
  if (readable.length > 0 && !isDone()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ends = [devices.watch(() => isDone() && resolve()), clock.after(REPORT_MS, () => resolve())];
    const onAbort = (): void => resolve();
    for (const end of [signal, link.ended]) end.addEventListener("abort", onAbort, { once: true });
    await promise;
    for (const end of [signal, link.ended]) end.removeEventListener("abort", onAbort);
    for (const end of ends) end();
  }
  const reported = fresh();
  if (isDone()) return { outcome: readable.length === wishes.length ? "confirmed" : "sent", reported };
  return { outcome: reported.some((each) => !each.isReached) ? "differs" : "sent", reported };
}
