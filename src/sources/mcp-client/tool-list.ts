/** All tools of an MCP server, read page by page. */
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { UNKNOWN_METHOD } from "../../protocol/mcp/versions.ts";
import { readTool, toolsIn } from "./tool-definition.ts";

/** Endless pages are a fault of the server, not a reason to never answer. */
const MAX_PAGES = 200;
const MAX_TOOLS = 20_000;
/** Of text in all pages; the page that goes beyond it is the last. */
const MAX_CHARACTERS = 32 * 1_048_576;

interface Pages {
  readonly tools: readonly ToolDefinition[];
  /** Why there are no more pages, where the list has no proper end. */
  readonly cut?: string | undefined;
}

/** Sends `tools/list` with these params. */
type AskPage = (params: string) => Promise<Payload>;

/**
 * A server that declares no tools, and knows no list of them, has none. Of a list whose later pages fail, or that has no end,
 * what came is taken; `onCut` is told in a sentence.
 */
export async function readTools(
  face: ServerFace | undefined,
  ask: AskPage,
  onCut?: (line: string) => void,
): Promise<readonly ToolDefinition[]> {
  try {
    const { tools, cut } = await readPages(ask);
    if (cut !== undefined) onCut?.(`${cut}; what was read of it is offered`);
    return tools;
  } catch (error) {
    const isUnknown = toZaguanError(error).details.relayed?.code === UNKNOWN_METHOD;
    if (isUnknown && face && face.capabilities["tools"] === undefined) return [];
    throw error;
  }
}

/** A failure that is the server's answer to this page; where nothing was answered, there may be a better time to ask. */
function answered(cause: unknown): ZaguanError {
  const error = toZaguanError(cause);
  if (error.code === "SOURCE_ERROR" || error.code === "ANSWER_TOO_LARGE") return error;
  throw error;
}

async function readPages(ask: AskPage): Promise<Pages> {
  const tools: ToolDefinition[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS && characters < MAX_CHARACTERS; page++) {
    const asked = ask(cursor === undefined ? "{}" : JSON.stringify({ cursor }));
    const answer = await (page > 0 ? asked.catch(answered) : asked);
    if (answer instanceof ZaguanError)
      return { tools, cut: `page ${page + 1} of its list of tools failed: ${why(answer)}` };
    const result = answer.value as { readonly nextCursor?: unknown } | null;
    characters += answer.text.length;
    // One bad tool does not spoil the others.
    for (const written of toolsIn(result) ?? []) {
      const tool = readTool(written);
      if (tool) tools.push(tool);
    }
    const next = result?.nextCursor;
    // Some servers write an empty one where there is none.
    if (typeof next !== "string" || next === "") return { tools };
    if (seen.has(next)) break;
    cursor = next;
    seen.add(cursor);
  }
  return { tools, cut: "the pages of its list of tools have no end" };
}

function why({ code, details: { relayed, params } }: ZaguanError): string {
  return relayed ? `JSON-RPC error ${relayed.code}` : String(params?.["reason"] ?? code);
}
