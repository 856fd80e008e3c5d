/** Calls a tool as any client does: one JSON-RPC request to `/mcp`, under the name that is always right. */
import { ask, Problem, type ProblemBody } from "./api.ts";
import { readJson } from "./exact-json.ts";
import { eventsIn } from "./sse.ts";

export interface ToolContent {
  readonly type: string;
  readonly text?: string | undefined;
  readonly data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly uri?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly resource?: ToolContent | undefined;
  readonly blob?: string | undefined;
  readonly [member: string]: unknown;
}

export interface ToolResult {
  readonly content?: readonly ToolContent[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly [member: string]: unknown;
}

/** How far a tool is, in steps of its own. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** What a tool wants to know in the middle of its work. */
export interface ToolQuestion {
  readonly method: string;
  readonly params: {
    readonly message?: string | undefined;
    readonly mode?: string | undefined;
    readonly requestedSchema?: unknown;
    readonly url?: string | undefined;
    readonly [member: string]: unknown;
  };
}

export interface QuestionAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: unknown;
}

export type Questions = Readonly<Record<string, ToolQuestion>>;
export type QuestionAnswers = Readonly<Record<string, QuestionAnswer>>;

interface CallOptions {
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Asks the user; without it, a tool that asks is told that nobody can be asked. */
  readonly onQuestions?: ((questions: Questions) => Promise<QuestionAnswers>) | undefined;
}

/** How many rounds of questions one call may have. */
const MOST_ROUNDS = 20;
/** The tool wants some arguments repeated in headers, which is said before anything was done. */
const HEADERS_WANTED = -32020;

/** Rejects with a Problem where the call itself failed; a tool that failed is a result. */
export async function callTool(
  server: string,
  tool: string,
  args: object,
  signal?: AbortSignal,
  options: CallOptions = {},
): Promise<ToolResult> {
  const call = { params: { name: `${server}__${tool}`, arguments: args }, signal, onProgress: options.onProgress };
  if (!options.onProgress && !options.onQuestions) return exchange({ ...call, era: "bare" });
  return converse({ ...call, era: "stateless", canBeAsked: options.onQuestions !== undefined }, options).catch(
    (cause) => {
      if (!(cause instanceof Problem) || rpcErrorOf(cause)?.code !== HEADERS_WANTED) throw cause;
      return exchange({ ...call, era: "bare" });
    },
  );
}

async function converse(first: Exchange, { onQuestions }: CallOptions): Promise<ToolResult> {
  let result = await exchange(first);
  for (let round = 0; round < MOST_ROUNDS && onQuestions && isQuestion(result); round++) {
    const inputResponses = await answersTo(result, first, onQuestions);
    const { requestState } = result;
    result = await exchange({ ...first, params: { ...first.params, inputResponses, requestState } });
  }
  return notRefused(result);
}

type Asking = ToolResult & { readonly inputRequests: Questions; readonly requestState?: unknown };

function isQuestion(result: ToolResult): result is Asking {
  return result["resultType"] === "input_required" && typeof result["inputRequests"] === "object";
}

/** Who gives up while a question is open tells the tool so, which waits for an answer. */
async function answersTo(
  { inputRequests, requestState }: Asking,
  call: Exchange,
  ask: (questions: Questions) => Promise<QuestionAnswers>,
): Promise<QuestionAnswers> {
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = (): void => {
    const cancelled = Object.keys(inputRequests).map((name) => [name, { action: "cancel" }]);
    const params = { ...call.params, inputResponses: Object.fromEntries(cancelled), requestState };
    exchange({ ...call, params, signal: undefined }).catch(() => {});
    reject(call.signal?.reason);
  };
  call.signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([ask(inputRequests), left]);
  } finally {
    call.signal?.removeEventListener("abort", leave);
  }
}

/** The revision wants wrong arguments told as if the tool had failed; the hub marks what are its own words. */
function notRefused(result: ToolResult): ToolResult {
  const refused = (result["_meta"] as Readonly<Record<string, Pick<ProblemBody, "code">>> | undefined)?.[
    "zaguan/refused"
  ];
  if (!refused) return result;
  const detail = result.content?.find(({ text }) => text)?.text;
  throw new Problem(400, { detail, code: refused.code });
}

/** The number and the words of a JSON-RPC error, where the hub answered with one. */
export function rpcErrorOf(problem: Problem): { readonly code?: number; readonly data?: unknown } | undefined {
  return problem.body["rpc"] as { readonly code?: number; readonly data?: unknown } | undefined;
}

interface Exchange {
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

/**
 * One request for a tool and its answer. Bare JSON-RPC, or MCP's stateless revision where the tool may want to ask something;
 * in both the answer comes as a stream where the tool tells how far it is.
 */
async function exchange({ era, params, signal, onProgress, canBeAsked }: Exchange): Promise<ToolResult> {
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
