/**
 * The syntax of iCalendar (RFC 5545 §3.1): lines folded at 75 octets, each a name with parameters and a value, and the
 * components they make. Bounded, since the text is a stranger's.
 */
import { Unfit } from "../desk.ts";

export interface Component {
  /** In capitals: "VEVENT". */
  readonly name: string;
  readonly lines: readonly ContentLine[];
  readonly parts: readonly Component[];
}

interface Growing extends Component {
  readonly lines: ContentLine[];
  readonly parts: Growing[];
}

const MOST_DEPTH = 8;

/** The calendars in a text. Throws `Unfit` where it has none, or is cut off. Lines that are none are left out. */
export function calendarsIn(text: string): readonly Component[] {
  const root: Growing = { name: "", lines: [], parts: [] };
  const open: Growing[] = [root];
  let number = 0;
  for (const line of unfolded(text)) {
    number = line.number;
    const parsed = parseLine(line.text);
    if (parsed) take(open, parsed, number);
  }
  const left = open.length > 1 ? open.at(-1) : undefined;
  if (left) throw new Unfit("calendar.icsUnclosed", { line: number, name: left.name });
  const calendars = root.parts.filter(({ name }) => name === "VCALENDAR");
  if (calendars.length === 0) throw new Unfit("calendar.notIcs");
  return calendars;
}

export function lineIn({ lines }: Component, name: string): ContentLine | undefined {
  return lines.find((line) => line.name === name);
}

export function linesIn({ lines }: Component, name: string): readonly ContentLine[] {
  return lines.filter((line) => line.name === name);
}

export function partsIn({ parts }: Component, name: string): readonly Component[] {
  return parts.filter((part) => part.name === name);
}

function take(open: Growing[], line: ContentLine, number: number): void {
  const current = open.at(-1);
  const name = line.value.trim().toUpperCase().slice(0, 40);
  if (line.name === "BEGIN") {
    if (open.length > MOST_DEPTH) throw new Unfit("calendar.icsUnclosed", { line: number, name });
    const part: Growing = { name, lines: [], parts: [] };
    current?.parts.push(part);
    open.push(part);
  } else if (line.name === "END") {
    if (open.length === 1 || current?.name !== name) throw new Unfit("calendar.icsUnclosed", { line: number, name });
    open.pop();
  } else {
    current?.lines.push(line);
  }
}

interface NumberedLine {
  readonly text: string;
  /** In the file, from 1. */
  readonly number: number;
}

const MOST_OCTETS = 75;

/** Lines as they were before they were folded; empty ones are left out. Every kind of line end is taken. */
export function unfolded(text: string): NumberedLine[] {
  const lines: { text: string; number: number }[] = [];
  const raw = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  for (const [index, line] of raw.entries()) {
    const last = lines.at(-1);
    if (last && (line.startsWith(" ") || line.startsWith("\t"))) last.text += line.slice(1);
    else if (line.trim() !== "") lines.push({ text: line, number: index + 1 });
  }
  return lines;
}

/** With its line end. No character is cut in two. */
export function folded(line: string): string {
  const parts: string[] = [];
  let [part, octets] = ["", 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MOST_OCTETS) {
      parts.push(part);
      // The space in front counts.
      [part, octets] = ["", 1];
    }
    part += character;
    octets += size;
  }
  return `${[...parts, part].join("\r\n ")}\r\n`;
}

export interface ContentLine {
  /** In capitals. */
  readonly name: string;
  /** The first value of each, by its name in capitals. */
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
  /** The whole line as it was written. */
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
