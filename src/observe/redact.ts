/**
 * What may be shown to people, in a log or as the arguments of a call: a bounded copy without secrets. Secrets are known by
 * the name they stand under and by their looks. Whatever lies deeper than four levels is left out, so that nothing can hide
 * there.
 */
import { REDACTED as HIDDEN } from "../security/redaction.ts";
import { isSecretName, KNOWN_IN_TEXT } from "../security/secret-rules.ts";

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
interface Rules {
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

/** `NAME: value` or `name=value`, as in headers, environments, queries and JSON that is a text. */
const ASSIGNED =
  /((?:passw(?:or)?d|passphrase|passcode|secret|token|(?:api|access|private)[-_]?key|authorization|credentials?|cookie)\w{0,10}|(?<![\w-])(?:pin|pwd|otp))(["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:basic|bearer|digest|token) +)?[^\s"',;&]+/gi;
const IN_QUERY = /([?&#;](?:[\w.-]{0,40}[_.-])?(?:auth|code|key|pass|sig|signature|session|sid|jwt)=)[^&#;\s"']+/gi;
const OF_USER = /(\/\/[^\s/@:"']{0,100}:)[^\s/@"']{1,200}@/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;

/**
 * The arguments of a call. Stricter than for a log, whose names are our own: here everybody gives the names they like, a lock
 * is opened with a `code`, and an address may have its secret in the query. What is hidden once too often does no harm.
 * @param schema of the tool: what it declares as secret is one, whatever its name
 */
export function redactArguments(args: unknown, schema?: Readonly<Record<string, unknown>>): unknown {
  if (typeof args === "string") return textWithout(args);
  if (typeof args !== "object" || args === null) return args;
  const declared = declaredIn(schema?.["properties"]);
  const rules: Rules = { hides: (name, value) => declared.has(name) || isSecretName(name, value), text: textWithout };
  return redactFields(args, rules);
}

function textWithout(text: string): string {
  return redactText(text)
    .replace(PRIVATE_KEY, HIDDEN)
    .replace(KNOWN_IN_TEXT, HIDDEN)
    .replace(OF_USER, `$1${HIDDEN}@`)
    .replace(ASSIGNED, `$1$2${HIDDEN}`)
    .replace(IN_QUERY, `$1${HIDDEN}`);
}

function declaredIn(properties: unknown): ReadonlySet<string> {
  const all = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  return new Set(all.filter(([, property]) => isDeclaredSecret(property)).map(([name]) => name));
}

function isDeclaredSecret(property: unknown): boolean {
  const { format, writeOnly } = (property ?? {}) as { readonly format?: unknown; readonly writeOnly?: unknown };
  return format === "password" || writeOnly === true;
}
