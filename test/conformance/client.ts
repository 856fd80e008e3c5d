/**
 * What the two raw clients for the hub's door have in common (client-2025.ts, client-2026.ts): how an answer is read off
 * an HTTP response, and what this client's user, model and roots answer when they are asked.
 */

export type Json = Readonly<Record<string, unknown>>;

export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface DoorClient {
  /** Resolves with the result; rejects with what the server refused. */
  request(method: string, params?: Json): Promise<Json>;
  close(): Promise<void>;
}

export const CLIENT_INFO = { name: "zaguan-conformance-client", version: "1.0.0" };
export const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
export const POST_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Every message of a response, as it comes. */
export async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (!response.headers.get("content-type")?.includes("text/event-stream")) {
    const text = await response.text();
    if (text) yield JSON.parse(text) as Message;
    return;
  }
  for await (const line of linesOf(response)) {
    const data = line.startsWith("data:") ? line.slice("data:".length).trim() : "";
    if (data) yield JSON.parse(data) as Message;
  }
}

/** The result of a response; a refusal is thrown. */
export function resultOf(method: string, { result, error }: Message): Json {
  if (error) throw new Error(`${method} was refused: ${error.message} (${error.code})`);
  return result ?? {};
}

/** What the client's side says to a question of the server. */
export function answerTo(method: string, params: Json = {}): Json {
  if (method === "elicitation/create")
    return { action: "accept", content: sample(params["requestedSchema"] as Schema) };
  if (method === "roots/list") return { roots: [{ uri: "file:///test/root", name: "Test root" }] };
  return { role: "assistant", content: { type: "text", text: "Yes." }, model: "test-model", stopReason: "endTurn" };
}

export interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-mcp-header"?: unknown;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: "text",
  integer: 1,
  number: 1.5,
  boolean: true,
  array: [],
  null: null,
};

/** A value that fits the schema, with its defaults wherever it has them. */
export function sample(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.type !== "object") return SAMPLES[schema.type ?? "string"];
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sample(inner)]));
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
