/** A tool as the registry tells of it. */
import type { ToolRow } from "./tool-pages.ts";

export interface Tool extends ToolRow {
  readonly title?: string | undefined;
  readonly inputSchema?: unknown;
  readonly inputSchemaJson: string;
  /** What its server says of it, which need not be true. */
  readonly annotations?: ToolAnnotations | undefined;
}

export interface ToolAnnotations {
  readonly title?: unknown;
  readonly readOnlyHint?: unknown;
  readonly destructiveHint?: unknown;
  readonly idempotentHint?: unknown;
  readonly openWorldHint?: unknown;
}
