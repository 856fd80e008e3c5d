/** One line of iCalendar: a name, parameters and a value (RFC 5545 §3.1), with the escapes of RFC 6868 in parameters. */

export interface ContentLine {
  /** In capitals. */
  readonly name: string;
  /** The first value of each, by its name in capitals. */
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
  /** As it was written. */
  readonly raw: string;
}

const NAME = /^[A-Za-z0-9-]+/;
/** A parameter's values: quoted, or without what ends it. Each alternative begins differently: nothing to try twice. */
const PARAMETER = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";:,])*)((?:,(?:"[^"]*"|[^";:,])*)*)/y;

/** Undefined where it is none. */
export function parseLine(raw: string): ContentLine | undefined {
  const name = NAME.exec(raw)?.[0];
  if (name === undefined) return undefined;
  const params = new Map<string, string>();
  let at = name.length;
  while (raw[at] === ";") {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(raw);
    if (!match) return undefined;
    params.set((match[1] ?? "").toUpperCase(), unquoted(match[2] ?? ""));
    at = PARAMETER.lastIndex;
  }
  return raw[at] === ":" ? { name: name.toUpperCase(), params, value: raw.slice(at + 1), raw } : undefined;
}

export function writeLine(name: string, value: string, params: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(params).map(([key, each]) => `;${key}=${quoted(each)}`);
  return `${name}${written.join("")}:${value}`;
}

/** The text of a value, without its escapes and without characters that have no place in a text. */
export function textOf(value: string): string {
  const text = value.replace(/\\([\\;,nN])/g, (_, escaped: string) => (escaped.toLowerCase() === "n" ? "\n" : escaped));
  return text.replace(UNPRINTABLE, "");
}

export function escaped(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replace(UNPRINTABLE, "")
    .replaceAll(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/** The parts between commas that are no part of a text. */
export function listOf(value: string): string[] {
  return [...value.matchAll(/(?:^|,)((?:\\.|[^,\\])*)/g)].map(([, part = ""]) => part);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

const RETURNS: Readonly<Record<string, string>> = { n: "\n", "'": '"', "^": "^" };

function unquoted(text: string): string {
  return text.replaceAll('"', "").replace(/\^([n'^])/g, (_, mark: string) => RETURNS[mark] ?? "");
}

function quoted(text: string): string {
  const safe = text.replaceAll('"', "^'").replaceAll(/[\r\n]/g, " ");
  return /[,:;]/.test(safe) ? `"${safe}"` : safe;
}
