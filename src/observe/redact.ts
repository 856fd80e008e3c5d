/**
 * What may stand in a log: a bounded copy without secrets. Secrets are known by the name they stand under and by their
 * looks. Whatever lies deeper than four levels is left out, so that nothing can hide there.
 */
import { REDACTED as HIDDEN } from "../security/redaction.ts";
import { isSecretName } from "../security/secret-rules.ts";

const MAX_DEPTH = 4;
const MAX_ENTRIES = 100;
const MAX_TEXT = 10_000;

/** Tables whose members are named by users and may all be secrets: the names are shown, the values are not. */
const SECRET_TABLE = /^(?:env|headers)$/i;
/** Hints (`zgn_` and four characters) are made to be shown. */
const ZAGUAN_KEY = /zgn_[A-Za-z0-9_-]{5,}/g;
const BEARER = /\b(bearer +)[\w.~+/-]+=*/gi;

export type Fields = Readonly<Record<string, unknown>>;

/** How secrets are known. */
export interface Rules {
  /** By the name that a value stands under. */
  hides(name: string, value: unknown): boolean;
  /** By their looks: the text without them. */
  text(text: string): string;
}

const OF_A_LOG: Rules = { hides: (name) => isSecretName(name), text: redactText };

export function redactFields(fields: object, rules: Rules = OF_A_LOG): Fields {
  return redactMembers(fields, 1, rules);
}

export function redactText(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
  return short.replace(ZAGUAN_KEY, `zgn_${HIDDEN}`).replace(BEARER, `$1${HIDDEN}`);
}

function redactMembers(value: object, depth: number, rules: Rules): Fields {
  const entries = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(
    entries.map(([name, member]) => [rules.text(name), redactMember(name, member, depth, rules)]),
  );
}

function redactMember(name: string, value: unknown, depth: number, rules: Rules): unknown {
  if (rules.hides(name, value)) return value === undefined ? undefined : HIDDEN;
  if (SECRET_TABLE.test(name)) return hideValues(value);
  return redactValue(value, depth + 1, rules);
}

function hideValues(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return HIDDEN;
  return Object.fromEntries(Object.keys(value).map((name) => [redactText(name), HIDDEN]));
}

/** `depth` is the level that the members of `value` would be on. */
function redactValue(value: unknown, depth: number, rules: Rules): unknown {
  if (typeof value === "string") return rules.text(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date || value instanceof URL) return rules.text(String(value.toJSON()));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > MAX_DEPTH) return "[deeper]";
  if (value instanceof Error) return redactMembers(describeError(value), depth, rules);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((element) => redactValue(element, depth + 1, rules));
  return redactMembers(value, depth, rules);
}

function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, ...(code !== undefined && { code }), ...(cause !== undefined && { cause }), stack };
}
