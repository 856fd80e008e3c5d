/**
 * One request for a tool and its answer. Bare JSON-RPC, or MCP's stateless revision where the tool may want to ask something;
 * in both the answer comes as a stream where the tool tells how far it is.
 */
import { ask } from "./api.ts";
import type { ToolProgress, ToolResult } from "./call-tool.ts";
import { readJson } from "./exact-json.ts";
import { Problem } from "./problem.ts";
import { eventsIn } from "./sse.ts";

export interface Exchange {
  readonly era: "bare" | "stateless";
  readonly params: { readonly name: string; readonly [member: string]: unknown };
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly canBeAsked?: boolean | undefined;
}

interface Message {
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: ToolResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const METHOD = "tools/call";

let calls = 0;

export async function exchange({ era, params, signal, onProgress, canBeAsked }: Exchange): Promise<ToolResult> {
  const id = ++calls;
  const _meta = {
    ...(onProgress && { progressToken: id }),
    ...(era === "stateless" && envelope(canBeAsked === true)),
  };
  const whole = Object.keys(_meta).length === 0 ? params : { ...params, _meta };
  const body = { jsonrpc: "2.0", id, method: METHOD, params: whole };
  const accept = onProgress ? "application/json, text/event-stream" : "application/json";
  const headers = { accept, ...(era === "stateless" && headersOf(params.name)) };
  const answer = await ask("POST", "/mcp", { body, headers, signal });
  const { result, error } = await answerIn(answer, onProgress);
  if (error) throw new Problem(answer.status, { detail: error.message, rpc: error });
  return result ?? {};
}

function envelope(canBeAsked: boolean): Record<string, unknown> {
  return {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: "zaguan-console", version: "1" },
    [`${META}clientCapabilities`]: canBeAsked ? { elicitation: { form: {}, url: {} } } : {},
  };
}

function headersOf(name: string): Record<string, string> {
  return { "mcp-protocol-version": REVISION, "mcp-method": METHOD, "mcp-name": headerText(name) };
}

/** Headers carry plain ASCII; all else is hidden in base64, as the revision says. */
export function headerText(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith("=?base64?")) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}

async function answerIn(answer: Response, onProgress: Exchange["onProgress"]): Promise<Message> {
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  if (!isStream || !answer.body) return readJson(await answer.text()) as Message;
  for await (const { data } of eventsIn(answer.body)) {
    const message = readJson(data) as Message;
    if (message.result || message.error) return message;
    if (message.method === "notifications/progress") onProgress?.(message.params as ToolProgress);
  }
  throw new Problem(0, {});
}
