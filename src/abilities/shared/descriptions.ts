/** A tool's description in every language, out of the catalogue. */
import { LANGUAGES, type MessageKey, say } from "../../messages/catalogue.ts";
import type { UserTool } from "../../user-tools/tool.ts";

export function described(key: MessageKey): Pick<UserTool, "description" | "descriptions"> {
  const descriptions = Object.fromEntries(LANGUAGES.map((language) => [language, say(language, key)]));
  return { description: say("en", key), descriptions };
}
