/** Everything that people read: one language at a time, from the hub's own catalogue. */
import type { Language } from "../../messages/catalogue.ts";
import type { ConsoleKey } from "../../messages/en/console.ts";
import { Store } from "./store.ts";

const KEPT = "zaguan.language";

export const language: Store<Language> = new Store("en");
let words: Readonly<Record<string, string>> = {};

/** The languages and what each calls itself, as the hub has written them into the page. */
export function languageNames(): Readonly<Record<Language, string>> {
  const { content } = document.querySelector('meta[name="languages"]') as HTMLMetaElement;
  return JSON.parse(content) as Record<Language, string>;
}

/** The one that was chosen here before, else the one the hub gave the page. */
export function firstLanguage(): Language {
  const wanted = localStorage.getItem(KEPT) ?? document.documentElement.lang;
  return Object.hasOwn(languageNames(), wanted) ? (wanted as Language) : "en";
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

type WordParams = Readonly<Record<string, string | number>>;

/** The text, with `{name}` filled in. */
export function t(key: ConsoleKey, params: WordParams = {}): string {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
