/** The endpoints of `/keys`. Loaded by the first who asks for one. */
import type { Key } from "../../contract/key.ts";
import { operations } from "../../contract/operations.ts";
import type { KeyRecord } from "../../store/store.ts";
import type { DoorContext } from "../door.ts";
import { idOf, type RestRoute, route } from "../rest/route.ts";

export function keyRoutes({ registry: { keys } }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.keys.listKeys, async () => ({ status: 200, body: (await keys.list()).map(keyView) })),
    route(operations.keys.createKey, async ({ body }) => {
      const { key, record } = await keys.create(body);
      const { id, name, hint } = record;
      return { status: 201, body: { id, name, hint, key }, headers: { "cache-control": "no-store" } };
    }),
    route(operations.keys.revokeKey, async (request) => {
      await keys.revoke(idOf(request));
      return { status: 204 };
    }),
  ];
}

/** Without its hash. */
function keyView({ id, name, hint, admin = false, allow, agentId, createdUtc, lastUsedUtc }: KeyRecord): Key {
  return {
    id,
    name,
    hint,
    admin,
    allow: allow ?? null,
    agentId: agentId ?? null,
    createdUtc,
    lastUsedUtc: lastUsedUtc ?? null,
  };
}
