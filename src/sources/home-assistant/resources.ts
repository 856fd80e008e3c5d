/**
 * The entities of a house as MCP's resources: `hass://entities/light.salon`, and with the house's name in front where several
 * houses have an entity of that name. Whoever subscribes hears of each change at once, of a changed list a little later.
 */
import { type Language, say } from "../../messages/catalogue.ts";
import type { ResourceSet } from "../shared/live-resources.ts";
import { type Entity, friendlyName, type LiveStates } from "./live-states.ts";

type Definition = Readonly<Record<string, string>>;

const SCHEME = "hass://";
const JSON_TYPE = "application/json";

export function entityResources(house: string, states: LiveStates): ResourceSet<Entity> {
  return {
    list: () => ({ resources: [...states.all()].map(resourceOf) }),
    templates: (language) => templatesOf(house, language),
    idOf: (uri) => entityOf(uri, house),
    read: (id) => {
      const entity = states.get(id);
      return entity && { mimeType: JSON_TYPE, text: JSON.stringify(entity) };
    },
    get: (id) => states.get(id),
    isSame: (before, now) => before?.last_updated === now?.last_updated,
  };
}

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
