/** An agent, the tools that it is linked to, and its key (seed 001, section 5). */
import { z } from "zod";
import type { Of } from "./fields.ts";
import { AUTONOMIES } from "./rules.ts";
import { Tool } from "./tool.ts";

/** Without defaults: a change made of these leaves alone what it does not say. */
const fields = {
  name: z
    .string()
    .regex(/^(?!\.{1,2}$)[^\p{Cc}/\\?#%]{1,64}$/u, { error: "must be 1 to 64 characters, without / \\ ? # or %" }),
  description: z.string().max(10_000).optional(),
  systemPrompt: z.string().max(100_000).optional(),
  autonomy: z.enum(AUTONOMIES),
};

export const NewAgent = z
  .strictObject({ ...fields, autonomy: fields.autonomy.default("Supervised") })
  .meta({ id: "NewAgent" });
export type NewAgent = Of<typeof NewAgent>;

export const AgentChange = z.strictObject(fields).partial().meta({ id: "AgentChange" });

export const Agent = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    systemPrompt: z.string().nullable(),
    autonomy: z.enum(AUTONOMIES),
    createdUtc: z.string(),
    updatedUtc: z.string(),
  })
  .meta({ id: "Agent" });
export type Agent = Of<typeof Agent>;

/** What a link adds to a tool: arguments that are fixed, and those that the agent may give. */
const BindingConfig = z
  .strictObject({
    fixedArguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "Given with every call; hidden from the agent. Who is no administrator reads [redacted] for each value.",
      ),
    allowedArguments: z.array(z.string()).max(1_000).optional().describe("What the agent may give; absent: all."),
  })
  .meta({ id: "BindingConfig" });
export type BindingConfig = Of<typeof BindingConfig>;

export const NewBinding = z
  .strictObject({
    toolId: z.string().min(1).describe("The id of a tool, its name in the list of all tools, or `server__tool`."),
    config: BindingConfig.nullable().optional(),
    enabled: z.boolean().default(true),
  })
  .meta({ id: "NewBinding" });

export const BindingChange = z
  .strictObject({ config: BindingConfig.nullable().optional(), enabled: z.boolean().optional() })
  .meta({ id: "BindingChange" });

export const Binding = z
  .object({
    id: z.string(),
    agentId: z.string(),
    toolId: z.string(),
    config: BindingConfig.nullable(),
    enabled: z.boolean(),
  })
  .meta({ id: "Binding" });
export type Binding = Of<typeof Binding>;

/** A link as lists show it. */
export const BoundTool = Binding.extend({ tool: Tool }).meta({ id: "BoundTool" });
export type BoundTool = Of<typeof BoundTool>;

export const AgentKey = z
  .object({ key: z.string().describe("Shown only now."), hint: z.string(), agentId: z.string() })
  .meta({ id: "AgentKey" });
export type AgentKey = Of<typeof AgentKey>;
