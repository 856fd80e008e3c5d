/** Everything that people read: one language at a time, from the hub's own catalogue. */
import type { ConsoleKey } from "../../messages/console/index.ts";
import { Store } from "./store.ts";

export const LANGUAGES = ["en", "es", "fr", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  es: "Español",
  fr: "Français",
  zh: "中文",
};

const KEPT = "zaguan.language";

export const language: Store<Language> = new Store<Language>("en");
let words: Readonly<Record<string, string>> = {};

/** The one that was chosen here before, else the one the hub gave the page. */
export function firstLanguage(): Language {
  const wanted = localStorage.getItem(KEPT) ?? document.documentElement.lang;
  return LANGUAGES.find((known) => known === wanted) ?? "en";
}

export async function speak(wanted: Language): Promise<void> {
  const answer = await fetch(`console/words/${wanted}.json`);
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  words = (await answer.json()) as Record<string, string>;
  document.documentElement.lang = wanted;
  language.set(wanted);
}

export async function chooseLanguage(wanted: Language): Promise<void> {
  await speak(wanted);
  localStorage.setItem(KEPT, wanted);
}

export type WordParams = Readonly<Record<string, string | number>>;

/** The text, with `{name}` filled in. */
export function t(key: ConsoleKey, params: WordParams = {}): string {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
