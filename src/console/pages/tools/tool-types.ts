/** A tool as the registry tells of it. */
import type { Tool as RegistryTool } from "../../../contract/tool.ts";
import type { ToolRow } from "./tool-pages.ts";

export type Tool = ToolRow &
  Pick<RegistryTool, "title" | "inputSchemaJson"> &
  Partial<Pick<RegistryTool, "inputSchema">> & {
    /** What its server says of it, which need not be true. */
    readonly annotations?: ToolAnnotations | undefined;
  };

export interface ToolAnnotations {
  readonly title?: unknown;
  readonly readOnlyHint?: unknown;
  readonly destructiveHint?: unknown;
  readonly idempotentHint?: unknown;
  readonly openWorldHint?: unknown;
}
