/**
 * The houses that run Home Assistant, as `zaguan.json` has them: one by itself, or several by name; and their conversion. A
 * house by itself is given its name before anything is checked, so that each mistake is told once and where it was made.
 */
import { z } from "zod";
import type { Of } from "../contract/fields.ts";
import { isObject, TOKEN } from "../contract/rules.ts";
import { formatPath, type Problem } from "./config-error.ts";
import { policyShape, slugSchema } from "./server-schema.ts";
import type { HomeAssistantConfig } from "./types.ts";

/** What a house is called that has no name of its own. */
const ONLY_HOUSE = "home-assistant";

/** A house stands in its own network, and the file is its owner's word; one that does not answer in this time is away. */
const policy = z.strictObject(policyShape({ allowPrivate: true, ready: "10" }));

const house = z.strictObject({
  url: z
    .string()
    .refine(isHouseUrl, { error: 'expected a URL such as "http://homeassistant.local:8123"' })
    .describe("The address of Home Assistant, as a browser has it."),
  token: z
    .string()
    .regex(TOKEN, { error: "expected a long-lived access token, which is one word" })
    .describe("A long-lived access token, made at the bottom of one's profile in Home Assistant."),
  disabled: z.boolean().default(false).describe("Leave this house out."),
  zaguan: policy.prefault({}).describe("Our own settings for this house."),
});

/** A house as written, checked and with its defaults. */
export type HouseEntry = Of<typeof house>;
type Houses = Readonly<Record<string, HouseEntry>>;

/** The form by itself stands here for the JSON Schema alone: it is named before it is checked. */
export const homeAssistantSchema = z.union([z.record(slugSchema, house), house], {
  error: 'expected an object with "url" and "token", or several of them by name',
});

/** The parsed file with every house under a name. */
export function withNamedHouses(file: unknown): unknown {
  if (!isObject(file) || !isAlone(file["homeAssistant"])) return file;
  return { ...file, homeAssistant: { [ONLY_HOUSE]: file["homeAssistant"] } };
}

/** Where a problem is in the file as it was written. */
export function asWritten(file: unknown, problem: Problem): Problem {
  if (!isObject(file) || !isAlone(file["homeAssistant"])) return problem;
  const given = formatPath(["homeAssistant", ONLY_HOUSE]);
  return problem.path.startsWith(given) ? { ...problem, path: problem.path.replace(given, "homeAssistant") } : problem;
}

/** A name stands for one thing. */
export function clashesWith(servers: Readonly<Record<string, unknown>>, houses: object): readonly Problem[] {
  const taken = Object.keys(houses).filter((name) => Object.hasOwn(servers, name));
  return taken.map((name) => ({
    path: formatPath(["homeAssistant", name]),
    text: `there is a server ${JSON.stringify(name)} in mcpServers already`,
  }));
}

export function toHouses(houses: Houses | HouseEntry): Readonly<Record<string, HomeAssistantConfig>> {
  const named = Object.entries(houses as Houses);
  return Object.fromEntries(named.map(([name, entry]) => [name, toHouse(entry)]));
}

function toHouse({ url, token, disabled, zaguan }: HouseEntry): HomeAssistantConfig {
  return { url: url.replace(/\/+$/, ""), token, disabled, policy: { trusted: true, ...zaguan } };
}

/** One house has a URL; of several, each has. */
function isAlone(value: unknown): boolean {
  if (!isObject(value)) return false;
  return ["url", "token"].some((key) => Object.hasOwn(value, key) && !isObject(value[key]));
}

function isHouseUrl(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === "");
}
