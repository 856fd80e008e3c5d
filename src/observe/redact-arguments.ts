/**
 * The arguments of a call as people may look at them. Stricter than for a log, whose names are our own: here everybody gives
 * the names they like, a lock is opened with a `code`, and an address may have its secret in the query. What is hidden
 * once too often does no harm.
 */
import { HIDDEN, type Rules, redactFields, redactText } from "./redact.ts";

/** Anywhere in a name, without case and what stands between words. */
const SECRET_PART =
  /passw(?:or)?d|passphrase|passcode|secret|token|(?:api|access|private|encryption)key|authorization|credential|cookie|signature/;
/** As a whole word of a name. */
const SECRET_WORD = /^(?:pins?|pwd?|pass|t?otp|mfa|auth|jwt|sig|psk|cv[cv])$/;
/** These may be something else, by the looks of what they hold: a program is a code, too, but has spaces in it. */
const PERHAPS: Readonly<Record<string, RegExp>> = { code: /^\S+$/, key: /^\S{12,}$/, session: /^\S{12,}$/ };

/** `NAME: value` or `name=value`, as in headers, environments, queries and JSON that is a text. */
const ASSIGNED =
  /((?:passw(?:or)?d|passphrase|passcode|secret|token|(?:api|access|private)[-_]?key|authorization|credentials?|cookie)\w{0,10}|(?<![\w-])(?:pin|pwd|otp))(["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:basic|bearer|digest|token) +)?[^\s"',;&]+/gi;
const IN_QUERY = /([?&#;](?:[\w.-]{0,40}[_.-])?(?:auth|code|key|pass|sig|signature|session|sid|jwt)=)[^&#;\s"']+/gi;
const OF_USER = /(\/\/[^\s/@:"']{0,100}:)[^\s/@"']{1,200}@/g;
/** Keys of well-known services, and web tokens. */
const KNOWN_LOOKS =
  /\b(?:(?:sk-|gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|AIza)[\w-]{12,}|eyJ[\w-]{8,300}\.[\w-]{8,}\.[\w-]*)/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;

/** @param schema of the tool: what it declares as secret is one, whatever its name */
export function redactArguments(args: unknown, schema?: Readonly<Record<string, unknown>>): unknown {
  if (typeof args === "string") return textWithout(args);
  if (typeof args !== "object" || args === null) return args;
  const declared = declaredIn(schema?.["properties"]);
  const rules: Rules = { hides: (name, value) => declared.has(name) || isSecret(name, value), text: textWithout };
  return redactFields(args, rules);
}

function isSecret(name: string, value: unknown): boolean {
  if (typeof value === "boolean" || value === null) return false;
  if (SECRET_PART.test(name.toLowerCase().replace(/[^a-z\d]/g, ""))) return true;
  return wordsOf(name).some((word) => SECRET_WORD.test(word) || mayBeSecret(word.replace(/s$/, ""), value));
}

function mayBeSecret(word: string, value: unknown): boolean {
  const looks = Object.hasOwn(PERHAPS, word) ? PERHAPS[word] : undefined;
  const all = Array.isArray(value) ? value : [value];
  return looks !== undefined && all.some((one) => typeof one !== "object" && looks.test(String(one)));
}

/** `lockCode`, `lock_code` and `Lock-Code` are two words. */
function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z\d]+|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
}

function textWithout(text: string): string {
  return redactText(text)
    .replace(PRIVATE_KEY, HIDDEN)
    .replace(KNOWN_LOOKS, HIDDEN)
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
