/** Which operations a hub has, for the one who describes them all. Doors never see each other; this they share. */
import type { Operation } from "../../contract/operation.ts";
import type { Gateway } from "../../core/gateway.ts";

/** Doors of one hub have its gateway in common, and nothing else that outlives their making. */
const BY_HUB = new WeakMap<Gateway, Map<string, Operation>>();

export function addOperations(hub: Gateway, operations: readonly Operation[]): void {
  const all = BY_HUB.get(hub) ?? new Map<string, Operation>();
  BY_HUB.set(hub, all);
  for (const operation of operations) all.set(`${operation.method} ${operation.path}`, operation);
}

export function operationsOf(hub: Gateway): readonly Operation[] {
  return [...(BY_HUB.get(hub)?.values() ?? [])];
}
