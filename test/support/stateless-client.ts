/** Requests of the stateless revision over HTTP: each with its envelope and the headers that belong to it. */
import type { IncomingMessage } from "node:http";
import { type Answered, type Asked, type OpenDoors, rpc } from "./open-doors.ts";

export const KEY = "io.modelcontextprotocol/";

export interface StatelessMessage {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** As text. @default 1 */
  readonly id?: string | undefined;
  /** What the client can do. @default nothing */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Beside those of the revision; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface Stream {
  readonly response: IncomingMessage;
  /** The messages that came so far. */
  messages(): StreamMessage[];
}

export interface StreamMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

export function askStateless(doors: OpenDoors, path: string, message: StatelessMessage): Promise<Answered> {
  return doors.ask(path, statelessRequest(message));
}

export function statelessRequest({ method, params = {}, id = "1", capabilities, headers }: StatelessMessage): Asked {
  const _meta = {
    [`${KEY}protocolVersion`]: "2026-07-28",
    [`${KEY}clientCapabilities`]: capabilities ?? {},
    ...(params["_meta"] as object | undefined),
  };
  const body = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify({ ...params, _meta })}}`;
  const all = Object.entries({ ...headersOf(method, params), ...headers });
  return rpc(body, Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined)));
}

/** Resolves at the head of the answer, which is a stream. */
export async function beginStateless(doors: OpenDoors, path: string, message: StatelessMessage): Promise<Stream> {
  const response = await doors.begin(path, statelessRequest(message));
  let text = "";
  response.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  response.on("error", () => {});
  return { response, messages: () => messagesIn(text) };
}

export function messagesIn(text: string): StreamMessage[] {
  const events = text.split("\n\n").filter((event) => event.includes("data: "));
  return events.map((event) => JSON.parse(event.split("data: ")[1] ?? "") as StreamMessage);
}

function headersOf(method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
  const name = params["name"] ?? params["uri"];
  return {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
}
