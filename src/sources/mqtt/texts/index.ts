/** The texts of this kind of source by language; placeholders are `{name}`. */
import type { Language, MessageParams } from "../../../messages/catalogue.ts";
import { EN } from "./en.ts";
import { ES } from "./es.ts";
import { FR } from "./fr.ts";
import { ZH } from "./zh.ts";

export type TextKey = keyof typeof EN;
export type Texts = Readonly<Record<TextKey, string>>;

const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, es: ES, fr: FR, zh: ZH };

export function tell(language: Language, key: TextKey, params: MessageParams = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(EN, key);
}
