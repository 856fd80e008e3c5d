/** What a service call is aimed at: ids, lists of them, `all`, areas and devices. */
import type { Registries } from "./registries.ts";
import { domainOf } from "./states.ts";
import { anything, type Check, type Data, entityIdsOrAll, type Fault, faultsOf, type Schema } from "./voluptuous.ts";

const FIELDS: Readonly<Record<string, Check>> = { entity_id: entityIdsOrAll, device_id: anything, area_id: anything };
const MORE_FIELDS: Readonly<Record<string, Check>> = { floor_id: anything, label_id: anything };

export function targetFields(modern: boolean): Schema {
  return modern ? { ...FIELDS, ...MORE_FIELDS } : FIELDS;
}

/** A service for entities wants some target, whatever else it takes. */
export function entityServiceFaults(fields: Schema, data: Data, modern: boolean): readonly Fault[] {
  const targets = targetFields(modern);
  const faults = faultsOf({ metadata: anything, ...fields, ...targets }, data);
  const names = Object.keys(targets);
  if (faults.length > 0 || names.some((name) => name in data)) return faults;
  return [{ message: `must contain at least one of ${names.join(", ")}.`, path: [] }];
}

/** @param reachable the entities that have something behind them; `all` means those of the domain */
export function targetsOf(
  data: Data,
  domain: string,
  reachable: ReadonlySet<string>,
  registries: Registries,
): string[] {
  const ofDomain = (id: string) => domainOf(id) === domain && reachable.has(id);
  if (data["entity_id"] === "all") return [...reachable].filter(ofDomain);
  return referenced(data, registries).filter(ofDomain);
}

/** Every entity meant, of whatever domain. */
export function referenced(data: Data, registries: Registries): string[] {
  const ids = listed(data["entity_id"]).map((id) => id.toLowerCase());
  const [areas, devices] = [listed(data["area_id"]), listed(data["device_id"])];
  return [...new Set([...ids, ...registries.entitiesOf(areas, devices)])];
}

function listed(value: unknown): string[] {
  if (typeof value === "string") return value.split(",").map((part) => part.trim());
  return Array.isArray(value) ? value.map(String) : [];
}
