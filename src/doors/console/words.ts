/** The page's texts in one language, as one file. */

import type { Language } from "../../messages/catalogue.ts";
import { CONSOLE_MESSAGES } from "../../messages/console/index.ts";
import { type Asset, assetOf } from "./assets.ts";

const made = new Map<Language, Promise<Asset>>();

export function wordsAsset(language: Language): Promise<Asset> {
  const known = made.get(language) ?? make(language);
  made.set(language, known);
  return known;
}

function make(language: Language): Promise<Asset> {
  const words = Object.entries(CONSOLE_MESSAGES).map(([key, row]) => [key, row[language]]);
  return assetOf(JSON.stringify(Object.fromEntries(words)), "application/json");
}
