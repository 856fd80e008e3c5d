/** The list of tools at an agent's own address, page after page, as any client asks for it. */
import { ask, at } from "../../kit/api.ts";
import { Problem } from "../../kit/problem.ts";
import type { OfferedTool } from "./types.ts";

interface ListAnswer {
  readonly result?: { readonly tools?: readonly OfferedTool[]; readonly nextCursor?: string };
  readonly error?: { readonly message: string };
}

export async function offeredTools(agent: string, signal: AbortSignal): Promise<readonly OfferedTool[]> {
  const all: OfferedTool[] = [];
  let cursor: string | undefined;
  do {
    const { tools = [], nextCursor } = await askForPage(agent, cursor, signal);
    all.push(...tools);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function askForPage(agent: string, cursor: string | undefined, signal: AbortSignal) {
  const params = cursor === undefined ? {} : { cursor };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params };
  const headers = { accept: "application/json" };
  const answer = await ask("POST", at`/agents/${agent}/mcp`, { body, headers, signal });
  const { result = {}, error } = (await answer.json()) as ListAnswer;
  if (error) throw new Problem(answer.status, { detail: error.message });
  return result;
}
