/** What Zaguan says of itself on the doors of MCP. */
import { NAME, VERSION } from "../../version.ts";

export const SELF: Readonly<Record<string, string>> = { name: NAME, title: "Zaguan", version: VERSION };

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
} as const;
