/** What a language consists of, and all of them. The rows of English are the reference. */
import type { AbilityKey } from "./en/abilities.ts";
import type { CliKey } from "./en/cli.ts";
import type { ConsoleKey } from "./en/console.ts";
import type { Detail } from "./en/details.ts";
import type { HubKey } from "./en/hub.ts";
import * as LISTED from "./languages.ts";

export type Language = keyof typeof LISTED;

/** The `index.ts` of a language's folder exports one. */
export interface Translation {
  /** The language's name in the language itself, for menus. */
  readonly name: string;
  readonly hub: Readonly<Record<HubKey, string>>;
  readonly cli: Readonly<Record<CliKey, string>>;
  readonly abilities: Readonly<Record<AbilityKey, string>>;
  /** English has none: a detail is thrown in English. */
  readonly details?: Readonly<Record<Detail, string>>;
  /** The texts of the console's page, which are loaded only when a browser asks for this language. */
  console(): Promise<Readonly<Record<ConsoleKey, string>>>;
}

export const TRANSLATIONS: Readonly<Record<Language, Translation>> = { ...LISTED };
