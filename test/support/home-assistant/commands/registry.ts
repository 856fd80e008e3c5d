/** Commands about the registries, and about who is asking. */
import { HomeEvent } from "../bus.ts";
import type { House } from "../house.ts";
import type { Session } from "../session.ts";
import { anything, entityIds, text } from "../voluptuous.ts";
import { answering, type Command, type CommandMessage, required } from "./command.ts";

const nothing = answering(() => []);

export const REGISTRY: Readonly<Record<string, Command>> = {
  "config/area_registry/list": answering((house) => house.registries.areas()),
  "config/device_registry/list": answering((house) => house.registries.devices()),
  "config/entity_registry/list": answering((house) => house.registries.entities()),
  "config/entity_registry/list_for_display": answering((house) => house.registries.display()),
  "config/area_registry/update": { fields: { area_id: required(text), name: text }, run: renameArea },
  "config/device_registry/update": { fields: { device_id: required(text), area_id: anything }, run: moveDevice },
  "config/entity_registry/update": {
    fields: { entity_id: required(entityIds), area_id: anything, hidden_by: anything },
    run: changeEntity,
  },
  "config/floor_registry/list": nothing,
  "config/label_registry/list": nothing,
  "automation/config": { fields: { entity_id: required(entityIds) }, run: automationConfig },
  "auth/current_user": answering(currentUser),
};

function renameArea(session: Session, { id, ...rest }: CommandMessage): void {
  const { registries, bus } = session.house;
  const area_id = String(rest["area_id"]);
  // The real one trips over an area that there is not, and says no more than this.
  if (!registries.renameArea(area_id, String(rest["name"]))) {
    return void session.error(id, "unknown_error", "Unknown error");
  }
  bus.fire(new HomeEvent("area_registry_updated", { action: "update", area_id }));
  session.result(id, registries.area(area_id));
}

function moveDevice(session: Session, { id, ...rest }: CommandMessage): void {
  const { registries, bus } = session.house;
  const device_id = String(rest["device_id"]);
  const before = registries.devices().find((device) => "id" in device && device.id === device_id);
  if (!before) return void session.error(id, "unknown_error", "Unknown error");
  const device = registries.moveDevice(device_id, textOrNull(rest["area_id"]));
  const changes = { area_id: "area_id" in before ? before.area_id : null };
  bus.fire(new HomeEvent("device_registry_updated", { action: "update", device_id, changes }));
  session.result(id, device);
}

function changeEntity(session: Session, { id, ...rest }: CommandMessage): void {
  const { registries, bus } = session.house;
  const entry = registries.get(String(rest["entity_id"]));
  if (!entry) return void session.error(id, "not_found", "Entity not found");
  const before: [string, string | null][] = [
    ["area_id", entry.area],
    ["hidden_by", entry.hiddenBy],
  ];
  const changes = Object.fromEntries(before.filter(([name]) => name in rest));
  if ("area_id" in rest) entry.area = textOrNull(rest["area_id"]);
  if ("hidden_by" in rest) entry.hiddenBy = textOrNull(rest["hidden_by"]);
  bus.fire(new HomeEvent("entity_registry_updated", { action: "update", entity_id: entry.entityId, changes }));
  session.result(id, { entity_entry: registries.extended(entry) });
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
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
