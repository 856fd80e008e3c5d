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

export interface ListOptions {
  /** Of a list whose later pages fail, the earlier ones are taken. */
  readonly takesParts?: boolean | undefined;
  /** Told where the pages were left because they lead nowhere, or never end. */
  readonly onEndless?: (() => void) | undefined;
}

interface Pages {
  readonly tools: readonly ToolDefinition[];
  readonly isEndless: boolean;
}

/** Sends `tools/list` with these params. */
type AskPage = (params: string) => Promise<Payload>;

/** A server that declares no tools, and knows no list of them, has none. */
export async function readTools(
  face: ServerFace | undefined,
  ask: AskPage,
  { takesParts = false, onEndless }: ListOptions = {},
): Promise<readonly ToolDefinition[]> {
  try {
    const { tools, isEndless } = await readPages(ask, takesParts);
    if (isEndless) onEndless?.();
    return tools;
  } catch (error) {
    const isUnknown = toZaguanError(error).details.relayed?.code === UNKNOWN_METHOD;
    if (isUnknown && face && face.capabilities["tools"] === undefined) return [];
    throw error;
  }
}

/** A device that has no room for a tool says so instead of the rest of its list. */
function unlessLost(cause: unknown): undefined {
  if (!toZaguanError(cause).details.relayed) throw cause;
}

async function readPages(ask: AskPage, takesParts: boolean): Promise<Pages> {
  const tools: ToolDefinition[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS && characters < MAX_CHARACTERS; page++) {
    const asked = ask(cursor === undefined ? "{}" : JSON.stringify({ cursor }));
    const answer = await (takesParts && page > 0 ? asked.catch(unlessLost) : asked);
    if (!answer) return { tools, isEndless: false };
    const result = answer.value as { readonly nextCursor?: unknown } | null;
    characters += answer.text.length;
    // One bad tool does not spoil the others.
    for (const written of toolsIn(result) ?? []) {
      const tool = readTool(written);
      if (tool) tools.push(tool);
    }
    const next = result?.nextCursor;
    // Some servers write an empty one where there is none.
    if (typeof next !== "string" || next === "") return { tools, isEndless: false };
    if (seen.has(next)) break;
    cursor = next;
    seen.add(cursor);
  }
  return { tools, isEndless: true };
}
