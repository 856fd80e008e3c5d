/** The form of `zaguan.json`, strict to the last key, with every default; and its conversion to a ZaguanConfig. */
import { isIP } from "node:net";
import { z } from "zod";
import type { Of } from "../contract/fields.ts";
import { LIMITS, type Limit, type Limits } from "../contract/limits.ts";
import type { FileSection } from "../sources/section.ts";
import { SECTIONS, type Sections } from "../sources/sections.ts";
import { apiClashes, apiSchema, toApis } from "./api-tools-schema.ts";
import { clusterSchema, toCluster } from "./cluster-schema.ts";
import { explain, formatPath, type Problem, problemsOf } from "./config-error.ts";
import { abilityClashes, abilityShape, namesOfAbilities, toAbilities } from "./devices-schema.ts";
import { asWritten, clashesWith, homeAssistantSchema, toHouses, withNamedHouses } from "./home-assistant-schema.ts";
import { bySlug, serverNameSchema, serverSchema, slugSchema } from "./server-schema.ts";
import { ABILITY_NAMES, type ZaguanConfig } from "./types.ts";
import { endpointClashes, toXiaozhi, xiaozhiSchema } from "./xiaozhi-schema.ts";

type LimitSchema<Value> = z.ZodDefault<z.ZodType<Value, Value>>;

/** One field for each line of `LIMITS`. */
const limitFields = Object.fromEntries(
  Object.entries<Limit>(LIMITS).map(([name, { otherwise, description, ...bounds }]) => {
    const field: z.ZodType<number | boolean> = typeof otherwise === "boolean" ? z.boolean() : numberIn(bounds);
    return [name, field.default(otherwise).describe(description)];
  }),
) as { readonly [Name in keyof Limits]: LimitSchema<Limits[Name]> };

const limits = z.strictObject(limitFields).refine((value) => value.callSeconds <= value.callMaxSeconds, {
  path: ["callSeconds"],
  error: "must not be more than limits.callMaxSeconds",
});

export const house = z.strictObject({
  lights: z
    .array(z.string().min(1).max(64))
    .refine((names) => new Set(names).size === names.length, { error: "names a light twice" })
    .default(["salon", "cocina", "dormitorio", "bano", "garage"])
    .describe("The lights' names."),
  alarmDefault: z.boolean().default(false).describe("Whether the alarm is on at first."),
  presenceDefault: z
    .strictObject({
      present: z.boolean().default(false).describe("Whether somebody is at home at first."),
      knownPeople: z.array(z.string().min(1).max(64)).default([]).describe("Who is at home at first."),
    })
    .prefault({})
    .describe("The presence detector at first."),
});

/** Absent: the section stands not in the file, and nothing of it in the configuration. */
const sectionShape: Record<string, z.ZodOptional<z.ZodType<Readonly<Record<string, unknown>>>>> = Object.fromEntries(
  Object.entries(SECTIONS).map(([key, { entry, description }]) => {
    return [key, z.record(slugSchema, entry).optional().describe(description)];
  }),
);

const root = z
  .strictObject({
    $schema: z.string().optional().describe("Where an editor finds this schema."),
    mcpServers: z
      .record(serverNameSchema, serverSchema)
      .default({})
      .describe("Servers by name, in the form that other MCP clients use."),
    homeAssistant: homeAssistantSchema
      .default({})
      .describe("Houses that run Home Assistant: one with its URL and token, or several by name."),
    apiTools: z
      .record(slugSchema, apiSchema)
      .default({})
      .describe(
        "REST APIs whose operations are tools, by name: each by its OpenAPI document or with tools of your own.",
      ),
    ...sectionShape,
    xiaozhi: xiaozhiSchema
      .prefault({})
      .describe("Voice clouds and servers of the xiaozhi family that are dialled and may then use the tools."),
    devices: z
      .strictObject({
        house: z
          .union([z.boolean(), house], { error: "expected true, false or an object" })
          .default(true)
          .describe("The simulated house: true for the usual one, false for none, or its settings."),
        ...abilityShape,
      })
      .prefault({})
      .describe("What Zaguan itself brings along."),
    limits: limits.prefault({}).describe("Bounds on sizes, numbers and times."),
    auth: z
      .strictObject({
        requireKey: z.boolean().default(false).describe("Ask for a key on loopback too."),
        trustedProxies: z
          .array(z.string().refine(isNetwork, { error: 'expected an address or a network such as "10.0.0.0/8"' }))
          .default([])
          .describe("Addresses and networks of proxies in front of the hub: who comes from there needs a key."),
        allowedHosts: z
          .array(z.string().regex(/^[^\s/]+$/, { error: 'expected a host or host:port, without "http://"' }))
          .default([])
          .describe("Further values of the Host header that are ours, as host or host:port."),
        allowedOrigins: z
          .array(
            z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i, {
              error: 'expected an origin such as "https://example.org", without a path',
            }),
          )
          .default([])
          .describe("Further browser origins that may talk to us."),
        allowedCommands: z
          .array(z.string().min(1))
          .default([])
          .describe("Commands that an administrator may register over HTTP, as they are written there."),
      })
      .prefault({})
      .describe("Who may use the hub."),
    cluster: clusterSchema
      .prefault({})
      .describe("What a hub keeps outside its own machine, and how it becomes a node of a cluster; read at the start."),
    log: z
      .strictObject({
        level: z
          .enum(["trace", "debug", "info", "warn", "error", "silent"])
          .default("info")
          .describe("How much is logged."),
      })
      .prefault({})
      .describe("What is written to the log."),
  })
  .describe("The configuration of Zaguan.");

type Checked = { readonly config: ZaguanConfig } | { readonly problems: readonly Problem[] };

/** Checks a parsed file, variables already replaced, and fills in every default. `folder` is where its paths begin. */
export function checkFileForm(value: unknown, folder = "."): Checked {
  const result = root.safeParse(withNamedHouses(value), { error: explain });
  const problems = result.success ? clashesIn(result.data) : problemsOf(result.error);
  if (result.success && problems.length === 0) return { config: toConfig(result.data, folder) };
  return { problems: problems.map((problem) => asWritten(value, problem)) };
}

function clashesIn(form: Form): readonly Problem[] {
  const { mcpServers, homeAssistant, apiTools, xiaozhi, devices } = form;
  return [
    ...sectionClashes(form),
    ...clashesWith(mcpServers, homeAssistant),
    ...apiClashes(apiTools, mcpServers, homeAssistant),
    ...endpointClashes(xiaozhi),
    ...abilityClashes(devices, mcpServers, homeAssistant, apiTools),
  ];
}

/** A name stands for one source, in whichever section it is. */
function sectionClashes(form: Form): readonly Problem[] {
  const { mcpServers, homeAssistant, apiTools, devices } = form;
  const taken = new Set([mcpServers, homeAssistant, apiTools].flatMap((named) => Object.keys(named)));
  for (const name of namesOfAbilities(devices)) taken.add(name);
  return Object.entries(SECTIONS).flatMap(([key, { noun }]) => {
    const names = Object.keys(sectionIn(form, key));
    const clashing = names.filter((name) => taken.has(name));
    for (const name of names) taken.add(name);
    const text = (name: string): string =>
      `a ${noun} needs a name of its own: there is ${JSON.stringify(name)} already`;
    return clashing.map((name) => ({ path: formatPath([key, name]), text: text(name) }));
  });
}

function sectionsIn(form: Form, folder: string): Sections {
  const given = Object.entries(SECTIONS).filter(([key]) => Object.keys(sectionIn(form, key)).length > 0);
  const entriesOf = (key: string, { read }: FileSection): Sections[string] =>
    Object.fromEntries(Object.entries(sectionIn(form, key)).map(([name, entry]) => [name, read(entry, folder)]));
  return Object.fromEntries(given.map(([key, section]) => [key, entriesOf(key, section)]));
}

function sectionIn(form: Form, key: string): Readonly<Record<string, unknown>> {
  return ((form as Readonly<Record<string, unknown>>)[key] ?? {}) as Readonly<Record<string, unknown>>;
}

/** The file as written, checked and with its defaults. */
export type Form = Of<typeof root>;

function toConfig(form: Form, folder: string): ZaguanConfig {
  const inSections = Object.keys(SECTIONS).flatMap((key) => Object.keys(sectionIn(form, key)));
  const named = Object.keys({ ...form.homeAssistant, ...form.apiTools });
  const others = [...named, ...inSections, ...ABILITY_NAMES, "tools"];
  return {
    mcpServers: bySlug(form.mcpServers, others),
    homeAssistant: toHouses(form.homeAssistant),
    apiTools: toApis(form.apiTools, folder),
    sections: sectionsIn(form, folder),
    xiaozhi: toXiaozhi(form.xiaozhi),
    devices: {
      house: form.devices.house === true ? house.parse({}) : form.devices.house,
      ...toAbilities(form.devices, folder),
    },
    limits: form.limits,
    auth: form.auth,
    cluster: toCluster(form.cluster, folder),
    log: form.log,
  };
}

/** An IP address, or one with the number of leading bits that count. */
function isNetwork(text: string): boolean {
  const [address = "", bits] = text.split(/\/(?=\d{1,3}$)/);
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

function numberIn({ isWhole, least = 0, most = Number.MAX_SAFE_INTEGER }: Omit<Limit, "otherwise" | "description">) {
  return (isWhole ? z.int() : z.number()).min(least).max(most);
}

/** The text of `schema/zaguan.schema.json`, for editors. */
export function renderJsonSchema(): string {
  const schema = z.toJSONSchema(root, { target: "draft-2020-12", io: "input", reused: "inline" });
  return `${JSON.stringify({ ...schema, title: "zaguan.json" }, null, 2)}\n`;
}
