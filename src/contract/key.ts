/** A key with which somebody comes. */
import { z } from "zod";
import type { Of } from "./fields.ts";

export const NewKey = z
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
      .describe(
        "Tools that its holder may use, as names with `*` for anything; absent: all. `server__*` gives the server's prompts and resources, too.",
      ),
    admin: z.boolean().optional().describe("Whether its holder may change what others use; not together with `allow`."),
  })
  .refine(({ allow, admin }) => !(allow && admin), { path: ["allow"], params: { say: "rule.never" } })
  .meta({ id: "NewKey" });
export type NewKey = Of<typeof NewKey>;

export const Key = z
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
export type Key = Of<typeof Key>;

export const MadeKey = z
  .object({ id: z.string(), name: z.string(), hint: z.string(), key: z.string().describe("Shown only now.") })
  .meta({ id: "MadeKey" });
export type MadeKey = Of<typeof MadeKey>;
