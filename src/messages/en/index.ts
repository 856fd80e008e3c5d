/** English. */
import type { Translation } from "../translations.ts";
import { ABILITY_TEXTS } from "./abilities.ts";
import { CLI_TEXTS } from "./cli.ts";
import { HUB_TEXTS } from "./hub.ts";

export const en: Translation = {
  name: "English",
  hub: HUB_TEXTS,
  cli: CLI_TEXTS,
  abilities: ABILITY_TEXTS,
  console: async () => (await import("./console.ts")).CONSOLE_TEXTS,
};
