/** A tool as the registry shows it. */
import { z } from "zod";
import type { Of } from "./fields.ts";

export const Tool = z
  .object({
    id: z.string(),
    name: z.string(),
    publicName: z
      .string()
      .optional()
      .describe("What it is called in the list of all tools, where another server has the older right to its name."),
    description: z.string(),
    scope: z.string(),
    inputSchema: z.unknown(),
    inputSchemaJson: z.string(),
    serverId: z.string(),
    serverName: z.string(),
    serverSlug: z.string(),
    title: z.string().optional().describe("For people, where its server gave it one."),
    annotations: z.record(z.string(), z.unknown()).optional().describe("What its server says of it: see MCP."),
    hidden: z
      .array(z.string())
      .optional()
      .describe(
        "Characters in its definition that cannot be seen, as U+202E; at most twenty. Clients get them as they are.",
      ),
    missing: z.boolean().optional(),
    quarantine: z.string().optional().describe("Why it is kept but not offered."),
  })
  .meta({ id: "Tool" });
export type Tool = Of<typeof Tool>;
