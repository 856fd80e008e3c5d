/** A tool's description in every language, out of the catalogue. */
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";

export interface Descriptions {
  readonly description: string;
  readonly descriptions: Readonly<Partial<Record<Language, string>>>;
}

export function described(key: MessageKey): Descriptions {
  const descriptions = { es: say("es", key), fr: say("fr", key), zh: say("zh", key) };
  return { description: say("en", key), descriptions };
}
