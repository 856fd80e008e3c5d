/** Texts of a given format, pattern and length. */
import { fc } from "../../support/seed.ts";

type Schema = Readonly<Record<string, unknown>>;

/** With `#` where a number makes one differ from the next. */
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-0#T10:20:30Z",
  date: "2026-01-0#",
  time: "10:20:3#Z",
  duration: "P#D",
  email: "some#@example.org",
  "idn-email": "some#@example.org",
  hostname: "host#.example.org",
  ipv4: "192.0.2.#",
  ipv6: "2001:db8::#",
  // With something between: patterns of addresses ask for it.
  uri: "https://example.org/incoming-payments/#",
  url: "https://example.org/#",
  "uri-reference": "/a/#",
  uuid: "3f0b8f9e-7c1d-4b52-9a3e-2f6d5c4b3a1#",
  byte: "YWJj",
  regex: "^a#",
  "json-pointer": "/a/#",
  // Both are written as texts in places where numbers would lose digits.
  int64: "#",
  int32: "#",
};

const PLAIN = "text#";

export function textFor(schema: Schema, index: number): string {
  const { pattern, format, contentEncoding } = schema;
  const known = typeof format === "string" ? FORMATS[format] : undefined;
  const usual = known ?? (contentEncoding === "base64" ? "YWJj" : PLAIN);
  const text = fitted(usual.replace("#", String(index + 1)), schema);
  return typeof pattern === "string" ? matching(pattern, text, schema, index) : text;
}

/** As long as it has to be. */
function fitted(text: string, { minLength, maxLength }: Schema): string {
  const least = typeof minLength === "number" ? text.padEnd(minLength, "x") : text;
  return typeof maxLength === "number" ? least.slice(0, maxLength) : least;
}

const made = new Map<string, readonly string[]>();

/** What would do anyway, something of a usual form, or else something made of the pattern itself. */
function matching(pattern: string, text: string, schema: Schema, index: number): string {
  const expression = expressionOf(pattern);
  const usual = [PLAIN, ...Object.values(FORMATS)].map((each) => each.replace("#", String(index + 1)));
  const fits = (each: string): boolean => expression.test(each) && fitted(each, schema) === each;
  const found = [text, ...usual].find(fits);
  if (found !== undefined) return found;
  if (!made.has(pattern)) made.set(pattern, madeOf(expression));
  const usable = (made.get(pattern) ?? []).filter(fits);
  return usable[index % usable.length] ?? text;
}

/** Those that need no escaping first. */
function madeOf(expression: RegExp): string[] {
  try {
    const texts = fc.sample(fc.stringMatching(expression), 100);
    const rank = (text: string): number => (/^[\w.:@-]+$/.test(text) ? 0 : /^[ -~]+$/.test(text) ? 1 : 2);
    return [...new Set(texts)].sort((one, other) => rank(one) - rank(other));
  } catch {
    return [];
  }
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}
