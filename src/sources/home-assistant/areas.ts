/** The areas of a house, called by id, by name or by alias, in any letter case. */
import { say } from "../../messages/catalogue.ts";
import { Refusal } from "../shared/refusal.ts";
import type { ToolCall } from "./house.ts";
import type { Area } from "./registries.ts";

export function areaOf(areas: readonly Area[], called: string, { language }: ToolCall): Area {
  const wanted = folded(called);
  const found =
    areas.find(({ id }) => id === called) ??
    areas.find(({ id, name, aliases }) => [id, name, ...aliases].some((each) => folded(each) === wanted));
  if (found) return found;
  const names = areas.map(({ id, name }) => `${name} (${id})`).join(", ") || "–";
  throw new Refusal(say(language, "home.unknownArea", { area: called }), say(language, "home.areas", { names }));
}

function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase().trim();
}
