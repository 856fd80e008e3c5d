/**
 * What Zaguan itself brings along, as `zaguan.json` has it: the simulated house, a folder of tools of one's own, and the
 * abilities of this machine, which are all off until somebody writes `true` or their settings.
 */
import { resolve } from "node:path";
import { z } from "zod";
import { formatPath, type Problem } from "./config-error.ts";
import { ABILITY_NAMES, type AbilitiesConfig, type DevicesConfig } from "./types.ts";

const text = z.string().min(1).max(4_096);

const vision = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).describe("Where pictures are posted."),
    token: text.optional().describe("A bearer token for it."),
    deviceId: text.optional().describe("The device to which the token was given."),
    clientId: text.optional().describe("The client to which the token was given."),
  })
  .optional()
  .describe("Who answers the question about a picture. Not given: the caller looks at it.");

const SETTINGS = {
  system: z.strictObject({
    allowLaunch: z.boolean().optional().describe("Offers to start applications."),
    allowKill: z.boolean().optional().describe("Offers to end applications."),
    applications: z
      .record(z.string().min(1).max(64), z.array(z.string()).min(1))
      .optional()
      .describe("Programs that may be started beside the installed ones: by name, the command and its arguments."),
    mixerControl: text.optional().describe("The control that ALSA's amixer turns."),
  }),
  screenshot: z.strictObject({ vision }),
  camera: z.strictObject({
    device: text.optional().describe("The camera's device file."),
    format: text.optional().describe("How ffmpeg reads the device, in its own words."),
    width: z.int().min(1).max(20_000).optional().describe("Of the photo, in pixels."),
    height: z.int().min(1).max(20_000).optional().describe("Of the photo, in pixels."),
    vision,
  }),
  music: z.strictObject({
    folder: text.optional().describe("Where the songs are, seen from the folder of zaguan.json."),
    player: text.optional().describe("The player, by name or path: mpv, ffplay, mpg123 or cvlc."),
    args: z.array(z.string()).max(100).optional().describe("Further arguments of the player."),
  }),
  calendar: z.strictObject({
    timeZone: text
      .refine(isTimeZone, { error: 'expected a zone such as "Europe/Madrid"' })
      .optional()
      .describe("Where the house is. Not given: the machine's own zone."),
  }),
  timers: z.strictObject({
    timeZone: text
      .refine(isTimeZone, { error: 'expected a zone such as "Europe/Madrid"' })
      .optional()
      .describe("In which times are told. Not given: the machine's own zone."),
  }),
  environment: z.strictObject({
    file: text.optional().describe("The JSON file that a sensor's program writes."),
    sysfs: text.optional().describe("Where the system shows its sensors."),
    staleSeconds: z.int().min(1).optional().describe("A file older than this is said to be so."),
  }),
  infrared: z.strictObject({
    port: text.optional().describe("The serial port."),
    baud: z.int().min(300).max(4_000_000).optional().describe("Bits in a second."),
    folder: text
      .default("./ir_codes")
      .describe("Of .hex files and codes_meta.json, seen from the folder of zaguan.json."),
    learning: z.enum(["wait", "background"]).optional().describe("Whether learning is waited for."),
  }),
} as const;

/** Paths in settings that are meant from the folder of the file. */
const FOLDERS = new Set(["folder"]);

function ability(settings: z.ZodType<object>, description: string): AbilitySchema {
  return z
    .union([z.boolean(), settings], { error: "expected true, false or an object" })
    .default(false)
    .describe(description);
}

type AbilitySchema = z.ZodDefault<z.ZodUnion<readonly [z.ZodBoolean, z.ZodType<object>]>>;
type Shape = { tools: z.ZodOptional<z.ZodString> } & Record<(typeof ABILITY_NAMES)[number], AbilitySchema>;

export const abilityShape: Shape = {
  tools: text
    .optional()
    .describe("A folder of modules that add tools of your own, seen from the folder of zaguan.json."),
  system: ability(SETTINGS.system, "This machine's state, volume and applications."),
  screenshot: ability(SETTINGS.screenshot, "Pictures of this machine's screen."),
  camera: ability(SETTINGS.camera, "Photos by this machine's camera."),
  music: ability(SETTINGS.music, "Music of a folder, played on this machine."),
  calendar: ability(SETTINGS.calendar, "A calendar that Zaguan keeps."),
  timers: ability(SETTINGS.timers, "Calls of tools at a later time."),
  environment: ability(SETTINGS.environment, "Temperature and humidity of this machine's sensors."),
  infrared: ability(SETTINGS.infrared, "Remote controls, by an infrared module at a serial port."),
};

type Form = { readonly [Name in keyof Shape]?: z.infer<Shape[Name]> };

export function toAbilities(form: Form, folder: string): Omit<DevicesConfig, "house"> {
  const enabled = ABILITY_NAMES.flatMap((name) => {
    const given = form[name] ?? false;
    return given === false ? [] : [[name, placed(given === true ? SETTINGS[name].parse({}) : given, folder)] as const];
  });
  const abilities = Object.fromEntries(enabled) as AbilitiesConfig;
  return { abilities, ...(form.tools !== undefined && { tools: resolve(folder, form.tools) }) };
}

/** The sources that are enabled there. */
export function namesOfAbilities(form: Form): readonly string[] {
  const enabled = ABILITY_NAMES.filter((name) => (form[name] ?? false) !== false);
  return form.tools === undefined ? enabled : [...enabled, "tools"];
}

/** A name stands for one thing. */
export function abilityClashes(form: Form, ...others: readonly object[]): readonly Problem[] {
  const taken = namesOfAbilities(form).filter((name) => others.some((named) => Object.hasOwn(named, name)));
  return taken.map((name) => ({
    path: formatPath(["devices", name]),
    text: `there is a server, house or API ${JSON.stringify(name)} already`,
  }));
}

function placed(settings: object, folder: string): object {
  const entries = Object.entries(settings).map(([key, value]) => [
    key,
    FOLDERS.has(key) && typeof value === "string" ? resolve(folder, value) : value,
  ]);
  return Object.fromEntries(entries);
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
