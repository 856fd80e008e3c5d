/** A tool as an MCP client gets it. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly [member: string]: unknown;
}
