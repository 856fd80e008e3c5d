/**
 * The text frames of a xiaozhi socket, told apart: a hello, JSON-RPC in its envelope, JSON-RPC by itself, and what is about
 * speech and not for us. Nothing is parsed twice: what is in an envelope is cut out as it was written.
 */
import { memberOf, type ScanLimits, scanJson } from "../json/scan.ts";

type Frame =
  | { readonly kind: "hello"; readonly hello: Hello }
  /** `payload` as it was written. */
  | { readonly kind: "mcp"; readonly payload: string }
  | { readonly kind: "bare" }
  /** Speech, device control, and whatever comes later; `type` is not repeated to anybody. */
  | { readonly kind: "other" };

export interface Hello {
  /** It is an MCP server. */
  readonly mcp: boolean;
  readonly version: number;
  /** As written; answered in kind. */
  readonly audioParams: string | undefined;
}

const BARE: Frame = { kind: "bare" };
const OTHER: Frame = { kind: "other" };

/** What is no JSON, or has both forms, is left to whoever reads JSON-RPC: it knows how to say so. */
export function readFrame(text: string, limits: ScanLimits): Frame {
  if (!text.includes('"type"')) return BARE;
  const scan = scanJson(text, limits);
  if (!scan.ok || scan.kind !== "object") return BARE;
  const type = memberOf(scan.members, "type");
  if (!type || memberOf(scan.members, "jsonrpc")) return BARE;
  const written = text.slice(type.start, type.end);
  if (written === '"hello"') return { kind: "hello", hello: readHello(text) };
  if (written !== '"mcp"') return OTHER;
  const payload = memberOf(scan.members, "payload");
  // Devices pass over an empty payload, and so do we.
  if (payload?.kind !== "object" || payload.members.length === 0) return OTHER;
  return { kind: "mcp", payload: text.slice(payload.start, payload.end) };
}

/**
 * What a JSON-RPC message asks for; undefined of one that asks nothing. What is no message, or asks in no words, is as good as
 * a question: whoever answers those knows how to say so.
 */
export function methodOf(message: string, limits: ScanLimits): string | undefined {
  if (!message.includes('"method"')) return undefined;
  const scan = scanJson(message, limits);
  if (!scan.ok || scan.kind !== "object") return "";
  const method = memberOf(scan.members, "method");
  if (!method) return undefined;
  return method.kind === "string" ? (JSON.parse(message.slice(method.start, method.end)) as string) : "";
}

/** A frame around a JSON-RPC message. */
export function envelope(message: string, sessionId: string): string {
  return `{"session_id":${JSON.stringify(sessionId)},"type":"mcp","payload":${message}}`;
}

/** Our answer to a device's hello. */
export function helloOf(sessionId: string, { audioParams }: Hello): string {
  const audio = audioParams ?? USUAL_AUDIO;
  const session = JSON.stringify(sessionId);
  return `{"type":"hello","version":1,"transport":"websocket","session_id":${session},"audio_params":${audio}}`;
}

const USUAL_AUDIO = '{"format":"opus","sample_rate":24000,"channels":1,"frame_duration":60}';

function readHello(text: string): Hello {
  const { features, version, audio_params } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const mcp = (features as { readonly mcp?: unknown } | null | undefined)?.mcp === true;
  const audio = typeof audio_params === "object" && audio_params !== null ? JSON.stringify(audio_params) : undefined;
  return { mcp, version: typeof version === "number" ? version : 1, audioParams: audio };
}
