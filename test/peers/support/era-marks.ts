/** In what the revision without a handshake differs: what it puts on every result, and what its clients do not know. */

const MARKS: readonly string[] = ["resultType", "ttlMs", "cacheScope"];
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** A result as the server behind made it. */
export function withoutMarks(result: unknown): unknown {
  const { _meta, ...rest } = result as { _meta?: Readonly<Record<string, unknown>> };
  const own = Object.entries(rest).filter(([key]) => !MARKS.includes(key));
  const meta = Object.entries(_meta ?? {}).filter(([key]) => key !== SERVER_INFO);
  return { ...Object.fromEntries(own), ...(meta.length > 0 && { _meta: Object.fromEntries(meta) }) };
}

/** A tool as clients of that revision show it: tasks are no part of its definition there. */
export function asModern<Tool extends object>(tool: Tool): Tool {
  const { execution: _, ...rest } = tool as Tool & { execution?: unknown };
  return rest as Tool;
}
