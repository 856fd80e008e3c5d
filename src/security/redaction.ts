/**
 * Takes our secrets out of what somebody sends back to us, by their values and in every spelling that is usual: in URLs, forms,
 * JSON, HTML and base64. Everything else stays as it was written.
 */

export const REDACTED = "[redacted]";

/** What is shorter is found everywhere, and to take it out would spoil the answer without hiding anything. */
const SHORTEST = 4;
/** Letters and digits in such a number are found nowhere by chance: whatever is around them is encoded once more, or was cut. */
const CORE = /[A-Za-z\d]{16,}/g;
/** Shorter ones would be found in any picture. */
const SHORTEST_ENCODED = 9;
const LEAST_PIECE = 6;
/** What stands in JSON outside of strings. */
const TOKEN = /[^\s,:{}[\]]+/g;
const PLAIN_TOKEN = /^(?:true|false|null|-?\d[\d.eE+-]*)$/;

export class Redaction {
  /** As they stand in a text. */
  readonly #forms: readonly string[];
  /** As they stand in JSON. */
  readonly #written: readonly string[];
  /** Escapes behind which one may hide. */
  readonly #escapes: RegExp;

  constructor(secrets: readonly string[]) {
    const long = secrets.filter((secret) => secret.length >= SHORTEST);
    this.#forms = longestFirst(long.flatMap(formsOf));
    this.#written = longestFirst(this.#forms.flatMap((form) => [form, inJson(form)]));
    // Only who writes what needs no escape as one hides something; but beyond ASCII that is usual.
    this.#escapes = long.some((secret) => /[^\0-\x7f]/.test(secret)) ? /\\u/ : /\\u00[0-7]/;
  }

  text(text: string): string {
    let clean = text;
    for (const form of this.#forms) if (clean.includes(form)) clean = clean.replaceAll(form, REDACTED);
    return clean;
  }

  /** A text that may have been cut in the middle of a secret. */
  piece(text: string): string {
    const clean = this.text(text);
    for (const form of this.#forms) {
      const length = endOf(clean, form);
      if (length > 0) return clean.slice(0, -length) + REDACTED;
    }
    return clean;
  }

  /** JSON stays JSON, and all of it that holds no secret stays as it was written. What is none is cleaned as a text. */
  json(text: string): string {
    const isSuspect = this.#written.some((form) => text.includes(form)) || this.#escapes.test(text);
    if (!isSuspect) return text;
    return /^\s*[[{"]/.test(text) ? this.#literals(text) : this.text(text);
  }

  /** The same object where there was nothing to take out. */
  value(value: unknown): unknown {
    if (value === undefined) return value;
    const text = JSON.stringify(value);
    const clean = this.json(text);
    return clean === text ? value : JSON.parse(clean);
  }

  #literals(text: string): string {
    let clean = "";
    let at = 0;
    let depth = 0;
    let isId = false;
    for (let open = text.indexOf('"'); open >= 0; open = text.indexOf('"', at)) {
      const end = endOfString(text, open + 1);
      const between = text.slice(at, open);
      // An id is how an answer finds its question.
      clean += (isId ? between : this.#tokens(between)) + this.#string(text.slice(open, end));
      depth += deeper(between);
      isId = depth === 1 && text.slice(open, end) === '"id"';
      at = end;
    }
    const rest = text.slice(at);
    return clean + (isId ? rest : this.#tokens(rest));
  }

  #string(literal: string): string {
    const isSuspect = this.#written.some((form) => literal.includes(form)) || literal.includes("\\u");
    if (!isSuspect) return literal;
    const text = parsed(literal);
    // What is no JSON is a text like any other.
    if (text === undefined) return this.text(literal);
    // There may be JSON in it, and escapes in that.
    const clean = this.text(this.#escapes.test(text) ? this.#literals(text) : text);
    return clean === text ? literal : JSON.stringify(clean);
  }

  /** A number is one as a whole: a part of it is chance. */
  #tokens(between: string): string {
    return between.replace(TOKEN, (token) => {
      if (!PLAIN_TOKEN.test(token)) return this.text(token);
      return this.#forms.includes(token) ? `"${REDACTED}"` : token;
    });
  }
}

function longestFirst(forms: readonly string[]): string[] {
  // One may be a part of another.
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** As it is, as a URL or a form has it, as JSON and HTML write it, and in base64. */
function formsOf(secret: string): string[] {
  const json = inJson(secret);
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = html.replaceAll('"', "&quot;");
  const apostrophes = [quoted.replaceAll("'", "&#39;"), quoted.replaceAll("'", "&#x27;")];
  const written = [secret, json, json.replaceAll("/", "\\/"), form, html, quoted, ...apostrophes];
  const well = secret.toWellFormed();
  const strict = encodeURIComponent(well).replace(/[!'()*]/g, hexOf);
  return [
    ...written,
    strict,
    encodeURIComponent(well),
    encodeURI(well),
    ...inBase64(well),
    ...(secret.match(CORE) ?? []),
  ];
}

/** Wherever it stands in what was encoded: in three ways, each without the characters that its neighbours have a part in. */
function inBase64(secret: string): string[] {
  if (Buffer.byteLength(secret) < SHORTEST_ENCODED) return [];
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from("\0".repeat(before) + secret);
    const [first, end] = [before === 0 ? 0 : before + 1, Math.floor((bytes.length * 8) / 6)];
    return (["base64", "base64url"] as const).map((encoding) => bytes.toString(encoding).slice(first, end));
  });
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** How much of a form's beginning a text ends with. */
function endOf(text: string, form: string): number {
  const begin = form.slice(0, LEAST_PIECE);
  const first = Math.max(0, text.length - form.length + 1);
  for (let at = text.indexOf(begin, first); at >= 0; at = text.indexOf(begin, at + 1)) {
    if (form.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}

/** By how many levels a text without strings goes down. */
function deeper(text: string): number {
  let levels = 0;
  for (const character of text)
    levels += character === "{" || character === "[" ? 1 : character === "}" || character === "]" ? -1 : 0;
  return levels;
}

/** Behind its closing quote, or at the end of all. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; at++) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote;
  }
}

function parsed(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}
