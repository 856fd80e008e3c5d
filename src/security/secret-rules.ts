/**
 * What counts as a secret: the one rule for logs, the console, exports, the store and what sources send back. A secret is known by
 * the name it stands under, or by its looks; what is plainly a word, a number, a date or a version is none.
 */

/** Anywhere in a name, without case and what stands between words. */
const NAME_PART =
  /passw(?:or)?d|passphrase|passcode|secret|token(?!i[sz])|(?:api|access|private|encryption|signing|license)key|authorization|bearer|credential|cookie|signature/;
/** As a whole word of a name. */
const NAME_WORD = /^(?:pins?|pwd?|pass|t?otp|mfa|auth|jwt|sig|psk|cv[cv])$/;
/** These may be something else, by the looks of what they hold: a program is a code, too, but has spaces in it. */
const PERHAPS: Readonly<Record<string, (text: string) => boolean>> = {
  code: (text) => /^\S+$/.test(text),
  key: (text) => /^\S{8,}$/.test(text) && !isOrdinary(text),
  session: (text) => /^\S{12,}$/.test(text),
  sid: (text) => /^\S{8,}$/.test(text),
};
/** What is told about a secret without being one: `TOKEN_URL`, `MAX_TOKENS`, `KEY_FILE`. */
const ABOUT =
  /^(?:max|min|limit|ttl|timeout|count|size|length|lifetime|seconds|ms|url|uri|path|file|dir|type|algorithm)$/;

/** `application/vnd.example+json; charset=utf-8`, whatever a maker put into it. */
const MEDIA_TYPE =
  /^(?:(?:application|audio|font|image|message|model|multipart|text|video)\/[\w.+*-]{1,80}|\*\/\*)(?:; ?(?:q|v|version|charset|profile)=[\w.-]{1,12})*$/;
/** Headers that choose a form, a version or a place of the answer, or say who asks. */
const PLAIN_HEADER = new RegExp(
  [
    "^accept",
    "^content",
    "^cache",
    "^user-agent$",
    "^pragma$",
    "^prefer$",
    "^referer$",
    "^origin$",
    "^x-requested-with$",
    "version",
    "language",
    "locale",
    "region",
    "country",
    "format",
    "units?$",
    "time-?zone",
    "tenant",
    "(?:app|client)-name$",
    "environment",
  ].join("|"),
  "i",
);

/** These say from which page somebody comes; the name of its host is no secret, whatever it is made of. */
const PAGE_HEADER = /^(?:origin|referer)$/i;
const HOST = /^https?:\/\/[\w.-]+(?::\d{1,5})?(?=\/|$)/i;

/** How the keys of well-known services, and ours, begin; and web tokens. */
const KNOWN_START = "(?:sk-|pk-|rk_|sk_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AIza|AKIA|zgn_|npm_|hf_)[\\w-]{8,}";
const WEB_TOKEN = "eyJ[\\w-]{8,}(?:\\.[\\w-]+){0,2}";
const KNOWN = new RegExp(`^(?:${KNOWN_START}|${WEB_TOKEN})$`);
/** The same in a text, where a word may begin like one and go on otherwise. */
export const KNOWN_IN_TEXT: RegExp = new RegExp(
  `\\b(?:(?=\\S{12})${KNOWN_START}|eyJ[\\w-]{8,300}\\.[\\w-]{8,}\\.[\\w-]*)`,
  "g",
);
/** Nothing that people write has letters and digits side by side so often. */
const MIXED = /(?:[A-Za-z](?=\d)|\d(?=[A-Za-z]))/g;
const LEAST_MIXED = 3;
const LEAST_LENGTH = 16;
/** A word, a number, a part of a date, of a version (`v1beta1`, `0rc1`) or of a place (`1a`). */
const ORDINARY_PART = /^(?:[A-Za-z]{1,14}\d{0,2}|v?\d{1,8}|v?\d{1,2}(?:[a-c]|rc|alpha|beta|dev)\d{0,2})?$/;

const HARMLESS =
  /^(?:|\d{1,5}|true|false|yes|no|on|off|none|all|auto|trace|debug|info|notice|warn|warning|error|fatal|production|development|staging|test|stdio|sse|http)$/i;
const HARMLESS_NAME =
  /^(?:NODE_ENV|(?:[A-Z_]+_)?LOG_LEVEL|PATH|HOME|PWD|SHELL|TERM|LANG|LANGUAGE|LC_[A-Z]+|TZ|PORT|HOST|TMPDIR|TEMP|TMP)$/i;

/** Looks like whatever a name may mean. */
const IN_DOUBT = "a1b2c3d4e5f6";

/** @param value what stands under the name, where names that may mean something else are to count too */
export function isSecretName(name: string, value?: unknown): boolean {
  if (typeof value === "boolean" || value === null) return false;
  const words = wordsOf(name);
  if (words.some((word) => ABOUT.test(word))) return false;
  if (NAME_PART.test(name.toLowerCase().replace(/[^a-z\d]/g, ""))) return true;
  return words.some((word) => NAME_WORD.test(word) || mayBeSecret(word.replace(/s$/, ""), value));
}

/**
 * A variable of the environment, an option, a parameter of a query. A path is where something is, and not the thing itself.
 * @param inDoubt for what is given away, where one hidden too often does no harm
 */
export function isSecretSetting(name: string, value: string, inDoubt = false): boolean {
  if (isPath(value)) return false;
  return isSecretName(name, inDoubt ? IN_DOUBT : value) || looksSecret(value);
}

/**
 * Whatever a header is called, what is sent in it counts, unless it is plainly something else.
 * @param inDoubt for what is shown or given away: then its name must say so, too
 */
export function isSecretHeader(name: string, value: string, inDoubt = false): boolean {
  const told = PAGE_HEADER.test(name) ? value.replace(HOST, "") : value;
  const isPlain = (isOrdinary(told) || isMediaTypes(value)) && (!inDoubt || PLAIN_HEADER.test(name));
  return !isPlain || isSecretName(name, value);
}

function isMediaTypes(value: string): boolean {
  return value.split(",").every((one) => MEDIA_TYPE.test(one.trim()));
}

export function looksSecret(value: string): boolean {
  return KNOWN.test(value) || looksRandom(value);
}

/** A variable of the environment of which it is certain that it configures and never authenticates. Numbers may be PINs. */
export function isHarmlessSetting(name: string, value: string): boolean {
  return HARMLESS.test(value) || (HARMLESS_NAME.test(name) && !looksSecret(value));
}

export function looksKnown(value: string): boolean {
  return KNOWN.test(value);
}

/** Words, numbers, dates and versions, by themselves or joined. */
export function isOrdinary(value: string): boolean {
  return value.split(/[^A-Za-z\d]+/).every((part) => ORDINARY_PART.test(part));
}

function looksRandom(value: string): boolean {
  return value.length >= LEAST_LENGTH && /^\S+$/.test(value) && (value.match(MIXED)?.length ?? 0) >= LEAST_MIXED;
}

export function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value);
}

function mayBeSecret(word: string, value: unknown): boolean {
  const looks = Object.hasOwn(PERHAPS, word) ? PERHAPS[word] : undefined;
  const all = Array.isArray(value) ? value : [value];
  return looks !== undefined && all.some((one) => one !== undefined && typeof one !== "object" && looks(String(one)));
}

/** `lockCode`, `lock_code` and `Lock-Code` are two words. */
function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z\d]+|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
}
