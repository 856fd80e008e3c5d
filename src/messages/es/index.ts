/** Spanish. */
import type { Translation } from "../translations.ts";
import { ABILITY_TEXTS } from "./abilities.ts";
import { CLI_TEXTS } from "./cli.ts";
import { DETAILS } from "./details.ts";
import { HUB_TEXTS } from "./hub.ts";

export const es: Translation = {
  name: "Español",
  hub: HUB_TEXTS,
  cli: CLI_TEXTS,
  abilities: ABILITY_TEXTS,
  details: DETAILS,
  console: async () => (await import("./console.ts")).CONSOLE_TEXTS,
};
