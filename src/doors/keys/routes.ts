/** The endpoints of `/keys`. Loaded by the first who asks for one. */
import { z } from "zod";
import { Key, MadeKey, NewKey } from "../../contract/key.ts";
import type { KeyRecord } from "../../store/store.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";

const TAG = "Keys";

export function keyRoutes({ registry: { keys } }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "GET", path: "/keys", operationId: "listKeys", tag: TAG },
      summary: "All keys that are not revoked",
      answers: { 200: { description: "In the order in which they were made.", schema: z.array(Key) } },
      handle: async () => ({ status: 200, body: (await keys.list()).map(keyView) }),
    }),
    route({
      ...{ method: "POST", path: "/keys", operationId: "createKey", tag: TAG, body: NewKey },
      summary: "Make a key",
      answers: { 201: { description: "The key is shown only now.", schema: MadeKey } },
      handle: async ({ body }) => {
        const { key, record } = await keys.create(body);
        const { id, name, hint } = record;
        return { status: 201, body: { id, name, hint, key }, headers: { "cache-control": "no-store" } };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/keys/{id}", operationId: "revokeKey", tag: TAG },
      names: { id: "The key's id, or its name." },
      summary: "Revoke a key",
      description: "It ends at once, in open connections too; also the one that came with this request.",
      answers: { 204: { description: "It is revoked." } },
      handle: async ({ names }) => {
        await keys.revoke(names["id"] ?? "");
        return { status: 204 };
      },
    }),
  ];
}

/** Without its hash. */
function keyView({ id, name, hint, admin = false, allow, agentId, createdUtc, lastUsedUtc }: KeyRecord): Key {
  return {
    ...{ id, name, hint, admin, allow: allow ?? null, agentId: agentId ?? null },
    ...{ createdUtc, lastUsedUtc: lastUsedUtc ?? null },
  };
}
