/**
 * The text of a document to plain values: the one place that knows which package reads it, so that another can take its
 * place. Whatever stands here must open no file and no socket and keep to the limits.
 */
import { fault } from "./fault.ts";
import type { ReadLimits } from "./limits.ts";
import { readYaml } from "./yaml-tree.ts";

export function parseText(text: string, limits: ReadLimits): unknown {
  const bytes = text.length > limits.bytes ? text.length : Buffer.byteLength(text);
  if (bytes > limits.bytes) throw fault("", `is larger than ${megabytes(limits.bytes)}`);
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (body.trim() === "") throw fault("", "is empty");
  if (/^\s*\{/.test(body)) return readJson(body, limits);
  if (bytes > limits.yamlBytes) {
    throw fault("", `is larger than ${megabytes(limits.yamlBytes)}, the most for YAML; as JSON it may be larger`);
  }
  return readYaml(body, limits);
}

function readJson(text: string, limits: ReadLimits): unknown {
  if (isDeeper(text, limits.depth)) throw fault("", `is nested deeper than ${limits.depth} levels`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault("", `is not JSON: ${cause instanceof Error ? cause.message : "unreadable"}`);
  }
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${bytes} bytes` : `${bytes / 1_000_000} MB`;
}

/** Seen before it is parsed: four million levels would take seconds and half a gigabyte. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    if (depth > most) return true;
  }
  return false;
}

/** What stands behind a backslash does not end it. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at;
}

const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
