/** What a running hub lists, all pages of it. */
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
  return (await listAll(hub, "tools")) as readonly HubTool[];
}

/** All pages of one of MCP's lists; the method is `list` behind the kind. */
export async function listAll(hub: HubClient, kind: string, member: string = kind): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? "{}" : JSON.stringify({ cursor });
    const result = (await hub.rpc(`${kind}/list`, params)) as Readonly<Record<string, unknown>>;
    const { [member]: some, nextCursor } = result;
    if (!Array.isArray(some)) break;
    all.push(...some);
    if (nextCursor === undefined || nextCursor === null) return all;
    cursor = nextCursor;
  }
  throw new CommandFailure("cli.hub.notHub", { url: hub.url });
}
