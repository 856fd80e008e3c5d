/**
 * The arguments of a call as people may look at them. Stricter than for a log, whose names are our own: here everybody gives
 * the names they like, a lock is opened with a `code`, and an address may have its secret in the query. What is hidden
 * once too often does no harm.
 */
import { REDACTED as HIDDEN } from "../security/redaction.ts";
import { isSecretName, KNOWN_IN_TEXT } from "../security/secret-rules.ts";
import { type Rules, redactFields, redactText } from "./redact.ts";

/** `NAME: value` or `name=value`, as in headers, environments, queries and JSON that is a text. */
const ASSIGNED =
  /((?:passw(?:or)?d|passphrase|passcode|secret|token|(?:api|access|private)[-_]?key|authorization|credentials?|cookie)\w{0,10}|(?<![\w-])(?:pin|pwd|otp))(["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:basic|bearer|digest|token) +)?[^\s"',;&]+/gi;
const IN_QUERY = /([?&#;](?:[\w.-]{0,40}[_.-])?(?:auth|code|key|pass|sig|signature|session|sid|jwt)=)[^&#;\s"']+/gi;
const OF_USER = /(\/\/[^\s/@:"']{0,100}:)[^\s/@"']{1,200}@/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;

/** @param schema of the tool: what it declares as secret is one, whatever its name */
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
