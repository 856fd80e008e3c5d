/** Commands about the registries, and about who is asking. */
import { HomeEvent } from "../bus.ts";
import type { House } from "../house.ts";
import type { Session } from "../session.ts";
import { anything, entityIds } from "../voluptuous.ts";
import { answering, type Command, type CommandMessage, required } from "./command.ts";

const nothing = answering(() => []);

export const REGISTRY: Readonly<Record<string, Command>> = {
  "config/area_registry/list": answering((house) => house.registries.areas()),
  "config/device_registry/list": answering((house) => house.registries.devices()),
  "config/entity_registry/list": answering((house) => house.registries.entities()),
  "config/entity_registry/list_for_display": answering((house) => house.registries.display()),
  "config/entity_registry/update": { fields: { entity_id: required(entityIds), area_id: anything }, run: move },
  "config/floor_registry/list": nothing,
  "config/label_registry/list": nothing,
  "automation/config": { fields: { entity_id: required(entityIds) }, run: automationConfig },
  "auth/current_user": answering(currentUser),
};

function move(session: Session, { id, ...rest }: CommandMessage): void {
  const { registries, bus } = session.house;
  const entry = registries.get(String(rest["entity_id"]));
  if (!entry) return void session.error(id, "not_found", "Entity not found");
  const changes = { area_id: entry.area };
  if ("area_id" in rest) entry.area = typeof rest["area_id"] === "string" ? rest["area_id"] : null;
  bus.fire(new HomeEvent("entity_registry_updated", { action: "update", entity_id: entry.entityId, changes }));
  session.result(id, { entity_entry: registries.extended(entry) });
}

function automationConfig(session: Session, { id, ...rest }: CommandMessage): void {
  const config = session.house.automations.configOf(String(rest["entity_id"]));
  if (!config) return void session.error(id, "not_found", "Entity not found");
  session.result(id, { config });
}

function currentUser({ userId }: House): object {
  const credentials = [{ auth_provider_type: "homeassistant", auth_provider_id: null }];
  return { id: userId, name: "Owner", is_owner: true, is_admin: true, credentials, mfa_modules: [] };
}
