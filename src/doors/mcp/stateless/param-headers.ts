/** Checks that headers repeat what a tool's schema wants repeated there. */
import type { ToolDefinition } from "../../../core/call.ts";
import type { Payload } from "../../../protocol/json/payload.ts";
import { type ParamHeader, paramHeaders, paramMismatch } from "../../../protocol/mcp/headers.ts";

/** By schema, which lists share until it changes. */
const headersOfSchema = new WeakMap<object, readonly ParamHeader[]>();

export function checkParamHeaders(
  tool: ToolDefinition | undefined,
  args: Payload,
  header: ((name: string) => string | undefined) | undefined,
): void {
  if (!tool || !header) return;
  const wanted = wantedBy(tool.inputSchema);
  const wrong = wanted.length === 0 ? undefined : paramMismatch(wanted, args.value, header);
  if (wrong) throw wrong;
}

function wantedBy(schema: object): readonly ParamHeader[] {
  const wanted = headersOfSchema.get(schema) ?? paramHeaders(schema);
  headersOfSchema.set(schema, wanted);
  return wanted;
}
