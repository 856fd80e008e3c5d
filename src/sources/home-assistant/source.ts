/** Home Assistant as a kind of source. It is connected from the start, so that its states are here before anybody asks. */
import { isObject } from "../../contract/rules.ts";
import type { KnownOffers } from "../../core/hub.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { SourceKind } from "../source.ts";
import { HomeConnection } from "./connection.ts";
import type { HomeAssistantOptions } from "./house.ts";
import { templatesOf } from "./resources.ts";
import { toolsIn } from "./tools.ts";

export const homeAssistant: SourceKind<HomeAssistantOptions> = {
  kind: "home-assistant",
  look: {
    title: { en: "Home Assistant", es: "Home Assistant", fr: "Home Assistant", zh: "Home Assistant" },
    icon: "M3 12 12 3l9 9v9H3zM12 21v-9M12 16l4-4M12 18l-4-4",
  },
  hasThings: true,
  concurrency: 32,
  trusted: true,
  isEager: true,
  connect: (options, context, signal) => HomeConnection.open(options, context, signal),
  translate: (tool, language) => toolsIn(language).find(({ name }) => name === tool.name) ?? tool,
  normalizeArguments: () => normalizeArguments,
  about: ({ url }) => ({ url }),
};

/** What a house offers is known before it was ever seen, but for its entities. */
export function offersOfHouse(name: string): KnownOffers {
  return { tools: toolsIn("en"), offers: { resources: [], resourceTemplates: templatesOf(name, "en") } };
}

type Reading = (value: unknown) => unknown;

const joined: Reading = (value) => {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(",") : value;
};
const asList: Reading = (value) => (isObject(value) ? [value] : value);

const READINGS: Readonly<Record<string, Readonly<Record<string, Reading>>>> = {
  call_service: { entity_id: joined, area: joined },
  create_automation: { trigger: asList, condition: asList, action: asList },
};

/**
 * Arguments as their caller meant them, where seed 003's schema says less than its tools take: a list of names for a
 * text with commas, and one object for a list of one, as Home Assistant itself takes it.
 */
export function normalizeArguments(tool: string, args: Payload): Payload {
  const readings = Object.hasOwn(READINGS, tool) ? READINGS[tool] : undefined;
  const { value } = readings ? args : {};
  if (!readings || !isObject(value)) return args;
  const read = Object.entries(value).map(([name, given]) => {
    return [name, Object.hasOwn(readings, name) ? readings[name]?.(given) : given] as const;
  });
  const isOther = read.some(([name, given]) => given !== value[name]);
  return isOther ? Payload.ofValue(Object.fromEntries(read)) : args;
}
