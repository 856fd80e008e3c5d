/** What Zaguan says of itself on the doors of MCP. */
import { SERVER_INFO } from "../../protocol/mcp/envelope.ts";
import { NAME, VERSION } from "../../version.ts";

export const SELF: Readonly<Record<string, string>> = { name: NAME, title: "Zaguan", version: VERSION };

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
} as const;

/** The mark of a result that tells who answered. */
export const SELF_META: Readonly<Record<string, string>> = { _meta: JSON.stringify({ [SERVER_INFO]: SELF }) };
