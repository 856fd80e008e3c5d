/** One call of a tool for a caller who knows nothing of MCP. */
import type { Payload } from "../../protocol/json/payload.ts";
import type { DoorContext, Exchange } from "../door.ts";
import { notByCaller } from "../mcp/failure.ts";
import { callOptionsIn } from "./call-options.ts";
import { readResult, type ToolResult } from "./tool-result.ts";

interface NamedCall {
  readonly tool: string;
  readonly args: Payload;
  /** For the log. */
  readonly door: string;
}

export async function callTool({ gateway }: DoorContext, exchange: Exchange, call: NamedCall): Promise<ToolResult> {
  const { principal, language, left } = exchange;
  try {
    return readResult(await gateway.call({ ...call, ...callOptionsIn(exchange), principal, language, signal: left }));
  } catch (cause) {
    throw left.aborted ? cause : notByCaller(cause);
  }
}
