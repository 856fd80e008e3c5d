/** All tools of an MCP server, read page by page. */
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { UNKNOWN_METHOD } from "../../protocol/mcp/discovery.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { readTool, toolsIn } from "./tool-definition.ts";

/** Endless pages are a fault of the server, not a reason to never answer. */
const MAX_PAGES = 200;
const MAX_TOOLS = 20_000;
/** Of text in all pages; the page that goes beyond it is the last. */
const MAX_CHARACTERS = 32 * 1_048_576;

/** Sends `tools/list` with these params. */
type AskPage = (params: string) => Promise<Payload>;

/** A server that declares no tools, and knows no list of them, has none. */
export async function readTools(face: ServerFace | undefined, ask: AskPage): Promise<readonly ToolDefinition[]> {
  try {
    return await readPages(ask);
  } catch (error) {
    const isUnknown = toZaguanError(error).details.relayed?.code === UNKNOWN_METHOD;
    if (isUnknown && face && face.capabilities["tools"] === undefined) return [];
    throw error;
  }
}

async function readPages(ask: AskPage): Promise<readonly ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  let cursor: string | undefined;
  let characters = 0;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS && characters < MAX_CHARACTERS; page++) {
    const answer = await ask(cursor === undefined ? "{}" : JSON.stringify({ cursor }));
    const result = answer.value as { readonly nextCursor?: unknown } | null;
    characters += answer.text.length;
    // One bad tool does not spoil the others.
    for (const written of toolsIn(result) ?? []) {
      const tool = readTool(written);
      if (tool) tools.push(tool);
    }
    if (typeof result?.nextCursor !== "string" || result.nextCursor === cursor) return tools;
    cursor = result.nextCursor;
  }
  return tools;
}
