/** The tools of a running hub, all pages of them. */
import { CommandFailure } from "./failures.ts";
import type { HubClient } from "./hub-client.ts";

export interface HubTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly [field: string]: unknown;
}

/** A hub that goes on forever is given up. */
const PAGES_MAX = 1000;

export async function listTools(hub: HubClient): Promise<readonly HubTool[]> {
  const tools: HubTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? "{}" : JSON.stringify({ cursor });
    const result = (await hub.rpc("tools/list", params)) as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(result.tools)) break;
    tools.push(...(result.tools as HubTool[]));
    if (result.nextCursor === undefined || result.nextCursor === null) return tools;
    cursor = result.nextCursor;
  }
  throw new CommandFailure("cli.hub.notHub", { url: hub.url });
}
