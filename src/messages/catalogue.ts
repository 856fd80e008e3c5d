/**
 * One catalogue of everything people read, in four languages side by side. An area file holds one table; a row without
 * all four languages does not compile. Placeholders are `{name}`.
 */
import type { ZaguanError } from "../errors.ts";
import { ABILITIES_MESSAGES } from "./abilities.ts";
import { API_MESSAGES } from "./api.ts";
import { API_TOOLS_MESSAGES } from "./api-tools.ts";
import { BRIDGE_MESSAGES } from "./bridge.ts";
import { CALENDAR_MESSAGES } from "./calendar.ts";
import { CLI_MESSAGES } from "./cli.ts";
import { detailIn } from "./detail.ts";
import { ERROR_MESSAGES } from "./errors.ts";
import { HOME_ASSISTANT_MESSAGES } from "./home-assistant.ts";
import { HOUSE_MESSAGES } from "./house.ts";
import { INFRARED_MESSAGES } from "./infrared.ts";
import { OWN_MESSAGES } from "./own.ts";
import { PAGE_MESSAGES } from "./page.ts";
import { RULE_MESSAGES } from "./rules.ts";
import { START_MESSAGES } from "./start.ts";

export const LANGUAGES = ["en", "es", "fr", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];
export type MessageRow = Readonly<Record<Language, string>>;
export type MessageParams = Readonly<Record<string, string | number>>;

type Catalogue = typeof ABILITIES_MESSAGES &
  typeof API_MESSAGES &
  typeof API_TOOLS_MESSAGES &
  typeof BRIDGE_MESSAGES &
  typeof CALENDAR_MESSAGES &
  typeof ERROR_MESSAGES &
  typeof HOME_ASSISTANT_MESSAGES &
  typeof HOUSE_MESSAGES &
  typeof CLI_MESSAGES &
  typeof INFRARED_MESSAGES &
  typeof OWN_MESSAGES &
  typeof PAGE_MESSAGES &
  typeof RULE_MESSAGES &
  typeof START_MESSAGES;

const CATALOGUE: Catalogue = {
  ...ABILITIES_MESSAGES,
  ...API_MESSAGES,
  ...API_TOOLS_MESSAGES,
  ...BRIDGE_MESSAGES,
  ...CALENDAR_MESSAGES,
  ...ERROR_MESSAGES,
  ...HOME_ASSISTANT_MESSAGES,
  ...HOUSE_MESSAGES,
  ...CLI_MESSAGES,
  ...INFRARED_MESSAGES,
  ...OWN_MESSAGES,
  ...PAGE_MESSAGES,
  ...RULE_MESSAGES,
  ...START_MESSAGES,
};
CATALOGUE satisfies Record<string, MessageRow>;

export type MessageKey = keyof typeof CATALOGUE;

/** The names in a text's braces; what is not one word is JSON that people are to write. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}${" " | '"' | ":"}${string}` ? never : Name) | NamesIn<Rest>
  : never;

/** A placeholder that nobody fills does not compile. Where one of several texts may be meant, nobody can tell what it needs. */
type ParamsOf<Key extends MessageKey, Each extends MessageKey = Key> = Each extends MessageKey
  ? [Key] extends [Each]
    ? [NamesIn<Catalogue[Key]["en"]>] extends [never]
      ? [params?: MessageParams]
      : [params: Readonly<Record<NamesIn<Catalogue[Key]["en"]>, string | number>>]
    : [params?: MessageParams | undefined]
  : never;

export function say<Key extends MessageKey>(language: Language, key: Key, ...[params = {}]: ParamsOf<Key>): string {
  const isFailure = language !== "en" && key.startsWith("error.");
  return fill(CATALOGUE[key][language], isFailure ? withDetails(language, params) : params);
}

/** A failure in that language. An unexpected one has a reference only where it was reported under one. */
export function sayError(language: Language, { code, details }: Pick<ZaguanError, "code" | "details">): string {
  const { relayed, params } = details;
  if (relayed) return relayed.message;
  return say(language, code === "INTERNAL" && !params ? "failure.unexpected" : `error.${code}`, params);
}

/** Nothing of a failure stays in English because it was thrown in English; the rest of its values are somebody's names. */
function withDetails(language: Language, params: MessageParams): MessageParams {
  const told = TOLD.flatMap((name) => {
    const value = params[name];
    return typeof value === "string" ? [[name, detailIn(language, value)] as const] : [];
  });
  return told.length === 0 ? params : { ...params, ...Object.fromEntries(told) };
}

const TOLD = ["reason", "kind", "what", "limit"] as const;

/** "must be string | null", in that language; JSON Schema's names of types are the keys. */
export function sayType(language: Language, types: readonly string[]): string {
  const names = types.map((type) =>
    isMessageKey(`type.${type}`) ? say(language, `type.${type}` as MessageKey) : type,
  );
  return say(language, "rule.type", { types: names.join(" | ") });
}

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

/** The first language of an `Accept-Language` header that we speak, by its weight, else `fallback`. */
export function languageOf(header: string | undefined, fallback: Language): Language {
  if (!header || header.length > 200) return fallback;
  const ranked = header
    .split(",")
    .map(weighted)
    .sort((a, b) => b.weight - a.weight);
  return (ranked.find((entry) => isLanguage(entry.tag) && entry.weight > 0)?.tag as Language | undefined) ?? fallback;
}

function isMessageKey(key: string): key is MessageKey {
  return Object.hasOwn(CATALOGUE, key);
}

function weighted(entry: string): { tag: string; weight: number } {
  const [range = "", quality] = entry
    .trim()
    .toLowerCase()
    .split(/\s*;\s*q=/);
  return { tag: range.split("-")[0] ?? "", weight: quality === undefined ? 1 : Number(quality) || 0 };
}

function fill(template: string, params: MessageParams): string {
  if (!template.includes("{")) return template;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
