/** Home Assistant as a kind of source. It is connected from the start, so that its states are here before anybody asks. */
import type { ToolDefinition } from "../../core/call.ts";
import type { SourceKind } from "../source.ts";
import { HomeConnection } from "./connection.ts";
import { templatesOf } from "./entity-uris.ts";
import { normalizeArguments } from "./normalize-arguments.ts";
import type { HomeAssistantOptions } from "./options.ts";
import { toolsIn } from "./tools.ts";

export const homeAssistant: SourceKind<HomeAssistantOptions> = {
  kind: "home-assistant",
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
export function offersOfHouse(name: string): { tools: readonly ToolDefinition[]; offers: HouseOffers } {
  return { tools: toolsIn("en"), offers: { resources: [], resourceTemplates: templatesOf(name, "en") } };
}

type Definitions = readonly Readonly<Record<string, unknown>>[];

interface HouseOffers {
  readonly resources: Definitions;
  readonly resourceTemplates: Definitions;
}
