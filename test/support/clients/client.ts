/**
 * What flow tests want of a client at any door, in either era: requests that can be taken back, and everything that came,
 * whether it was asked for or not. These clients know nothing of the hub's code, believe nothing and never try again.
 */
import process from "node:process";
import { until } from "../processes.ts";

export type Era = "2025" | "2026";

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Fields };
}

export type Fields = Readonly<Record<string, unknown>>;

/** One request that was sent. */
export interface Sent {
  readonly id: number;
  /** All that came for it, answers too: there should be one at most. */
  readonly heard: readonly Message[];
  /** By the word, or by hanging up where that is the word. */
  cancel(): void;
}

export interface McpClient {
  readonly era: Era;
  /** What came without belonging to a request, or asks something. */
  readonly unasked: readonly Message[];
  request(method: string, params: Fields, options?: RequestOptions): Sent;
  /** Answers a question. */
  respond(id: Message["id"], result: Fields): void;
  /** Goes without a word, whatever is under way. */
  leave(): void;
}

export interface RequestOptions {
  readonly wantsProgress?: boolean;
}

const PREFIX = "io.modelcontextprotocol/";
export const REVISIONS = { "2025": "2025-11-25", "2026": "2026-07-28" } as const;
/** What all of these clients can be asked. */
export const CAPABILITIES = { elicitation: {} };
export const CLIENT_INFO = { name: "flow", version: "1" };
export const ACCEPT = "application/json, text/event-stream";

export function requestText(era: Era, id: number, method: string, params: Fields, options: RequestOptions = {}) {
  const progress = options.wantsProgress ? { progressToken: id } : {};
  const meta = era === "2026" ? { ...ENVELOPE, ...progress } : progress;
  const isNeeded = Object.keys(meta).length > 0;
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: isNeeded ? { ...params, _meta: meta } : params });
}

const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: REVISIONS["2026"],
  [`${PREFIX}clientCapabilities`]: CAPABILITIES,
  [`${PREFIX}clientInfo`]: CLIENT_INFO,
};

export function notificationText(method: string, params?: Fields): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** The request of ours to which a message belongs; undefined if it does not say. */
export function requestOf(message: Message): unknown {
  if (message.method === undefined) return message.id;
  const meta = message.params?.["_meta"] as Fields | undefined;
  return message.params?.["progressToken"] ?? meta?.[`${PREFIX}subscriptionId`];
}

export function answersTo({ heard }: Sent): readonly Message[] {
  return heard.filter(({ method }) => method === undefined);
}

export async function answerTo(sent: Sent, limitMs?: number): Promise<Message> {
  await until(`request ${sent.id} has its answer`, () => answersTo(sent).length > 0, limitMs);
  return answersTo(sent)[0] as Message;
}

/** Milliseconds of the clock that all processes of a machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
