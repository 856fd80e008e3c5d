/** What an API offers is known before anything is asked of it. */
import type { ToolDefinition } from "../../core/call.ts";
import type { ApiOptions } from "./operation.ts";
import { toolOf, waysOf } from "./tools.ts";

export function toolsOf({ operations }: ApiOptions): readonly ToolDefinition[] {
  return operations.map((operation) => toolOf(operation, waysOf(operation)));
}
