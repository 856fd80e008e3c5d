/** An API's answer as text, if it is one: decoded as it says, and without our secrets. */
import { TextDecoder } from "node:util";
import type { HttpReply } from "../../link/http-call.ts";
import { isJson } from "./encode.ts";
import type { Redaction } from "./redact.ts";

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
  const value = mayBeJson(type, text) && !reply.isCut ? parsed(text) : undefined;
  return (value === undefined ? undefined : cleanJson(text, value, redaction)) ?? { text: redaction.text(text) };
}

export function typeOf({ headers }: HttpReply): string {
  return String(headers["content-type"] ?? "").trim();
}

/** As it was written, unless something had to be taken out: JSON has many ways to write the same. */
function cleanJson(text: string, value: unknown, redaction: Redaction): TextAnswer | undefined {
  const isClean = redaction.text(text) === text;
  if (isClean && !text.includes("\\")) return { text, json: { value } };
  try {
    const clean = redaction.value(value);
    if (isClean && clean === value) return { text, json: { value } };
    return { text: redaction.text(JSON.stringify(clean, null, 2)), json: { value: clean } };
  } catch {
    // So deep that nobody can walk through it: then it is text like any other.
    return undefined;
  }
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
