/** An API's answer as text, if it is one: decoded as it says, and without our secrets. */
import { TextDecoder } from "node:util";
import type { HttpReply } from "../../link/http-call.ts";
import type { Redaction } from "../../security/redaction.ts";
import { isJson } from "./encode.ts";

export interface TextAnswer {
  readonly text: string;
  /** Absent where the text is no JSON. */
  readonly json?: { readonly value: unknown };
}

/** Undefined for what is no text. */
export function textIn(reply: HttpReply, redaction: Redaction): TextAnswer | undefined {
  const type = typeOf(reply);
  const text = decoded(reply);
  if (text === undefined) return undefined;
  const clean = mayBeJson(type, text) && !reply.isCut ? redaction.json(text) : undefined;
  const value = clean === undefined ? undefined : parsed(clean);
  return clean === undefined || value === undefined ? { text: redaction.text(text) } : { text: clean, json: { value } };
}

export function typeOf({ headers }: HttpReply): string {
  return String(headers["content-type"] ?? "").trim();
}

function decoded(reply: HttpReply): string | undefined {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(typeOf(reply))?.[1] ?? "utf-8";
  try {
    // What was cut may end in the middle of a character.
    const text = decoderOf(charset).decode(reply.bytes, { stream: reply.isCut });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return new TextDecoder("utf-8", { fatal: true });
  }
}

/** Some send it as plain text, or as nothing in particular. */
function mayBeJson(type: string, text: string): boolean {
  return (
    isJson(type) || (/^(?:text\/(?:plain|javascript)|application\/octet-stream|$)/i.test(type) && /^\s*[[{]/.test(text))
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
