/** Everything people read, by its key and in their language; each language has a folder. Placeholders are `{name}`. */
import type { ZaguanError } from "../errors.ts";
import { detailIn } from "./detail.ts";
import type { ABILITY_TEXTS } from "./en/abilities.ts";
import type { CLI_TEXTS } from "./en/cli.ts";
import type { HUB_TEXTS } from "./en/hub.ts";
import { type Language, TRANSLATIONS } from "./translations.ts";

type English = typeof HUB_TEXTS & typeof CLI_TEXTS & typeof ABILITY_TEXTS;

export type { Language } from "./translations.ts";
export const LANGUAGES: readonly Language[] = Object.keys(TRANSLATIONS) as Language[];
export type MessageKey = keyof English;
export type MessageParams = Readonly<Record<string, string | number>>;

/** The names in a text's braces; what is not one word is JSON that people are to write. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}${" " | '"' | ":"}${string}` ? never : Name) | NamesIn<Rest>
  : never;

/** A placeholder that nobody fills does not compile. Where one of several texts may be meant, nobody can tell what it needs. */
type ParamsOf<Key extends MessageKey, Each extends MessageKey = Key> = Each extends MessageKey
  ? [Key] extends [Each]
    ? [NamesIn<English[Key]>] extends [never]
      ? [params?: MessageParams]
      : [params: Readonly<Record<NamesIn<English[Key]>, string | number>>]
    : [params?: MessageParams | undefined]
  : never;

export function say<Key extends MessageKey>(language: Language, key: Key, ...[params = {}]: ParamsOf<Key>): string {
  const isFailure = language !== "en" && key.startsWith("error.");
  return fill(textIn(language, key) ?? key, isFailure ? withDetails(language, params) : params);
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
  return textIn("en", key) !== undefined;
}

/** Looked for in one table after the other: putting them together at the start would cost two megabytes. */
function textIn(language: Language, key: string): string | undefined {
  const { hub, cli, abilities }: Record<"hub" | "cli" | "abilities", Table> = TRANSLATIONS[language];
  return hub[key] ?? cli[key] ?? abilities[key];
}

type Table = Readonly<Record<string, string | undefined>>;

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
