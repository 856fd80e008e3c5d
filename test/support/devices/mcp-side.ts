/** The side of a device that is an MCP server: what it is asked and what it says, without the socket. */
import type { Message } from "../line-rpc.ts";

export interface McpSide {
  /** The text of its answer; undefined where the real thing is silent. */
  answer(message: Message): Promise<string | undefined>;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
