/**
 * A device as both dialects of discovery describe it: properties with a name, a form, and where they are read and written.
 * Values are in the same units whoever the device is: brightness and position in percent, colour temperature in kelvin,
 * colours as `#rrggbb`, switches as true or false. Pure.
 */
export interface Device {
  /** Unique in one broker and stable. */
  readonly id: string;
  readonly name: string;
  readonly maker?: string | undefined;
  readonly model?: string | undefined;
  readonly area?: string | undefined;
  /** Other ids under which another dialect may describe the same device. */
  readonly aliases: readonly string[];
  readonly properties: readonly Property[];
  readonly availability: readonly Availability[];
  /** Whether one that says "available" is enough. */
  readonly isAnyEnough: boolean;
}

export interface Property {
  /** Unique in the device. */
  readonly key: string;
  readonly label: string;
  /** What kind of entity it stands for (light, sensor …); undefined of what belongs to another, such as a lamp's brightness. */
  readonly domain?: string | undefined;
  /** Which argument of the tool `set_device` means it. */
  readonly role?: Role | undefined;
  readonly form: Form;
  readonly unit?: string | undefined;
  /** For maintenance: not what people ask for first. */
  readonly isExtra?: boolean | undefined;
  readonly read?: Read | undefined;
  readonly write?: Write | undefined;
}

export type Role =
  | "power"
  | "cover"
  | "lock"
  | "press"
  | "brightness"
  | "color_temp"
  | "color"
  | "position"
  | "tilt"
  | "temperature"
  | "mode";

export type Form =
  | { readonly type: "switch" }
  | { readonly type: "number"; readonly min?: number; readonly max?: number; readonly step?: number }
  | { readonly type: "choice"; readonly options: readonly string[] }
  /** What can be told to do, and the states in which it then is; none where it has none. */
  | { readonly type: "command"; readonly commands: Readonly<Record<string, readonly string[]>> }
  | { readonly type: "color" }
  | { readonly type: "text"; readonly max?: number }
  | { readonly type: "data" };

/** A message as its readers want it: each form is made once. */
export interface Message {
  readonly text: string | undefined;
  /** Undefined of what is no JSON. */
  readonly json: unknown;
}

export interface Read {
  readonly topic: string;
  /** Undefined where the message says nothing of it. Absent where how to read it is not understood. */
  readonly value?: ((message: Message) => unknown) | undefined;
}

/** What is written to one topic as members of an object is gathered into one message. */
export interface Write {
  readonly topic: string;
  readonly qos?: 0 | 1 | 2 | undefined;
  readonly retain?: boolean | undefined;
  readonly text?: ((value: unknown) => string) | undefined;
  readonly members?: ((value: unknown) => Readonly<Record<string, unknown>>) | undefined;
}

export interface Availability {
  readonly topic: string;
  /** Undefined where the message says nothing of it. */
  readonly isAvailable: (message: Message) => boolean | undefined;
}

/** Of several domains, the first says what kind of device it is. */
const MAIN_DOMAINS = ["light", "climate", "cover", "lock", "fan", "valve", "humidifier", "vacuum"].concat([
  "alarm_control_panel",
  "switch",
  "siren",
  "select",
  "number",
  "text",
  "button",
  "scene",
  "binary_sensor",
  "sensor",
]);

/** The property by which a device is known first: that of its main domain which is not for maintenance. */
export function mainOf({ properties }: Device): Property | undefined {
  const rankOf = ({ domain = "", isExtra }: Property): number =>
    (isExtra ? MAIN_DOMAINS.length * 2 : 0) + (MAIN_DOMAINS.indexOf(domain) + 1 || MAIN_DOMAINS.length + 1);
  const named = properties.filter(({ domain }) => domain !== undefined);
  return named.reduce<Property | undefined>(
    (best, each) => (best && rankOf(best) <= rankOf(each) ? best : each),
    undefined,
  );
}

export function domainOf(device: Device): string {
  return mainOf(device)?.domain ?? "device";
}

/** How people call a property: the device's name, and its own where it is not the main one. */
export function nameOf(device: Device, property: Property): string {
  return property === mainOf(device) && ["state", device.name].includes(property.label)
    ? device.name
    : `${device.name} ${property.label}`;
}

/** A value as people read it. */
export function wordsFor({ form }: Property, value: unknown): string {
  if (value === undefined || value === null) return "unknown";
  if (form.type === "switch") return value === true ? "on" : value === false ? "off" : String(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Percent and kelvin lose a little where a device counts in other steps; colours lose more. */
const TOLERANCES: Readonly<Partial<Record<Role, number>>> = { brightness: 1, position: 1, tilt: 1, color_temp: 60 };
const COLOR_TOLERANCE = 40;

/** Whether what the device reports is what it was told. */
export function isReached({ form, role }: Property, told: unknown, reported: unknown): boolean {
  switch (form.type) {
    case "command": {
      const states = form.commands[String(told)] ?? [];
      return states.length === 0 || states.includes(String(reported));
    }
    case "number":
      return Math.abs(Number(told) - Number(reported)) <= ((role && TOLERANCES[role]) ?? 1e-6);
    case "color":
      return channels(told).every(
        (one, index) => Math.abs(one - (channels(reported)[index] ?? NaN)) <= COLOR_TOLERANCE,
      );
    default:
      return JSON.stringify(told) === JSON.stringify(reported);
  }
}

function channels(color: unknown): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(String(color).slice(at, at + 2), 16));
}

/** A dialect of discovery takes messages of its own topics, and knows the devices that they describe. */
export interface Dialect {
  /** What it wants to hear. */
  readonly filters: readonly string[];
  /** Whether a message is for it alone: a description, and no value of anything. */
  isDescription(topic: string): boolean;
  /** Whether any device came, went or is another now. */
  take(topic: string, message: Message): boolean;
  devices(): Iterable<Device>;
  /** Whether something was left out for want of room. */
  readonly isFull: boolean;
}
