/** A tool's description in every language, out of the catalogue. */
import { LANGUAGES, type Language, type MessageKey, say } from "../../messages/catalogue.ts";

interface Descriptions {
  readonly description: string;
  readonly descriptions: Readonly<Partial<Record<Language, string>>>;
}

export function described(key: MessageKey): Descriptions {
  const others = LANGUAGES.filter((language) => language !== "en");
  const descriptions = Object.fromEntries(others.map((language) => [language, say(language, key)]));
  return { description: say("en", key), descriptions };
}
