/** The endpoints of `/keys`. Loaded by the first who asks for one. */
import { z } from "zod";
import type { KeyInput } from "../../registry/keys.ts";
import type { KeyRecord } from "../../store/store.ts";
import type { DoorContext } from "../door.ts";
import type { BodySchema } from "../rest/operation.ts";
import { type RestRoute, route } from "../rest/route.ts";

const TAG = "Keys";

const NEW_KEY: BodySchema & z.ZodType<KeyInput> = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(64)
      .refine((name) => !/\p{Cc}/u.test(name), { params: { say: "rule.oneLine" } }),
    allow: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(1_000)
      .optional()
      .describe("Tools that its holder may use, as names with `*` for anything; absent: all."),
    admin: z.boolean().optional().describe("Whether its holder may change what others use; not together with `allow`."),
  })
  .refine(({ allow, admin }) => !(allow && admin), { path: ["allow"], params: { say: "rule.never" } })
  .meta({ id: "NewKey" });

const KEY = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().describe("How the key begins."),
    admin: z.boolean(),
    allow: z.array(z.string()).nullable().describe("Null: every tool, or for an agent's key what it is linked to."),
    agentId: z.string().nullable().describe("The agent whose key it is."),
    createdUtc: z.string(),
    lastUsedUtc: z.string().nullable(),
  })
  .meta({ id: "Key" });

const MADE_KEY = z
  .object({ id: z.string(), name: z.string(), hint: z.string(), key: z.string().describe("Shown only now.") })
  .meta({ id: "MadeKey" });

export function keyRoutes({ registry: { keys } }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "GET", path: "/keys", operationId: "listKeys", tag: TAG },
      summary: "All keys that are not revoked",
      answers: { 200: { description: "In the order in which they were made.", schema: z.array(KEY) } },
      handle: async () => ({ status: 200, body: (await keys.list()).map(keyView) }),
    }),
    route({
      ...{ method: "POST", path: "/keys", operationId: "createKey", tag: TAG, body: NEW_KEY },
      summary: "Make a key",
      answers: { 201: { description: "The key is shown only now.", schema: MADE_KEY } },
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
function keyView({ id, name, hint, admin = false, allow, agentId, createdUtc, lastUsedUtc }: KeyRecord): object {
  return {
    ...{ id, name, hint, admin, allow: allow ?? null, agentId: agentId ?? null },
    ...{ createdUtc, lastUsedUtc: lastUsedUtc ?? null },
  };
}
