/** A server's tools as the registry keeps them, and what is wrong with those that are kept but not offered. */
import type { ToolDefinition } from "../core/call.ts";
import { unfitness } from "../core/unfit-tools.ts";
import type { FoundTool } from "../store/registry.ts";

/** What a tool is for; AutoAgentes' servers say it, MCP's do not. */
const USUAL_SCOPE = "global";

/** As it was found. */
export function definitionOf({ definition }: Pick<FoundTool, "definition">): ToolDefinition {
  return JSON.parse(definition) as ToolDefinition;
}

export function foundTool(tool: ToolDefinition): FoundTool {
  const quarantine = unfitness(tool);
  const { name, description, scope } = tool as ToolDefinition & { readonly scope?: unknown };
  return {
    name,
    description: typeof description === "string" ? description : "",
    scope: typeof scope === "string" && scope !== "" ? scope : USUAL_SCOPE,
    // What is unfit may be so because it is too deep to be written out.
    definition: JSON.stringify(quarantine === undefined ? tool : { name, inputSchema: {} }),
    quarantine,
  };
}
