/**
 * How devices are spoken to (seed 002): lists in pages that fit their memory, and failures as results, because much of what
 * stands behind a device drops the texts of errors. One popular server reads them in `error` alone.
 */
import type { ListedTool } from "../../core/gateway.ts";
import type { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { textOf } from "./failure.ts";
import { pageOf } from "./tool-pages.ts";

/** Of a whole message; what stands around the tools is taken off it. */
const PAGE_BYTES = 8_000;
const AROUND_BYTES = 400;

/** The only revision that devices know. */
export const DEVICE_VERSION = "2024-11-05";

export function devicePage(tools: readonly ListedTool[], cursor: string | undefined): Payload {
  const list = {
    key: "tools",
    items: tools,
    nameOf: ({ definition }: ListedTool) => definition.name,
    textOf: ({ definition }: ListedTool) => JSON.stringify(definition),
    sizeOf: (text: string) => Buffer.byteLength(text),
  };
  return pageOf(list, cursor, PAGE_BYTES - AROUND_BYTES);
}

/** A tool's own failure, with its text where it is looked for. */
export function deviceResult(result: Payload): Payload {
  // Most results are none, and need not be read to know it.
  if (!result.text.includes('"isError"')) return result;
  const value = result.value as { readonly isError?: unknown; readonly error?: unknown; readonly content?: unknown };
  if (value.isError !== true || value.error !== undefined) return result;
  return Payload.ofValue({ ...value, error: firstText(value.content) });
}

/** What went wrong on the way to a tool; undefined of what stays an error: nobody can do anything about it. */
export function deviceFailure(error: ZaguanError, language: Language): Payload | undefined {
  if (error.code === "INTERNAL" || error.code === "BAD_REQUEST") return undefined;
  const text = textOf(error, language);
  return Payload.ofValue({ content: [{ type: "text", text }], isError: true, error: text });
}

function firstText(content: unknown): string {
  const texts = Array.isArray(content) ? content.map((item) => (item as { text?: unknown } | null)?.text) : [];
  return String(texts.find((text) => typeof text === "string") ?? "");
}
