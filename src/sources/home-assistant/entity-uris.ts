/** Entities as MCP's resources: their addresses, and how they are described. */
import { type Language, say } from "../../messages/catalogue.ts";
import { type Entity, friendlyName } from "./live-states.ts";

type Definition = Readonly<Record<string, string>>;

const SCHEME = "hass://";
export const JSON_TYPE = "application/json";

/** By the short address, or by the one with the house's name in it; undefined if it is neither. */
export function entityOf(uri: string, house: string): string | undefined {
  const starts = [`${SCHEME}${house}/entities/`, `${SCHEME}entities/`];
  const start = starts.find((one) => uri.startsWith(one));
  return start === undefined ? undefined : decoded(uri.slice(start.length));
}

export function resourceOf(entity: Entity): Definition {
  const { entity_id: name } = entity;
  const uri = `${SCHEME}entities/${encodeURIComponent(name.toWellFormed())}`;
  return { uri, name, title: friendlyName(entity), mimeType: JSON_TYPE };
}

/** What can be told of a house that has never been seen. */
export function templatesOf(house: string, language: Language): readonly Definition[] {
  const description = say(language, "home.resource");
  const template = (name: string, uriTemplate: string) => ({ uriTemplate, name, description, mimeType: JSON_TYPE });
  return [
    template("entity", `${SCHEME}entities/{entity_id}`),
    template(`entity of ${house}`, `${SCHEME}${house}/entities/{entity_id}`),
  ];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
