/**
 * What the tools of houses and brokers share: how one is called and its outcome told, its arguments, read member by
 * member, its refusal, and the names that are like a misspelt one. The hub checks arguments before; this holds where a
 * client talks to one source alone and its words pass unchecked. What is null counts as not given.
 */
import { isObject } from "../../contract/rules.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { type Language, say, sayType } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { SourceRequest } from "../source.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** One call of a tool. */
export interface ToolCall {
  readonly args: Arguments;
  readonly language: Language;
  readonly signal: CancelSignal;
}

/** What a tool has to say, for people and for programs. */
export interface Told {
  readonly text: string;
  readonly structured: object;
  /** What is to be known beside, such as that this is not all. */
  readonly note?: string | undefined;
}

/** A tool of a house or a broker. Rejects with a Refusal where that, or the sense of things, says no. */
export type ToolOf<Place> = (place: Place, call: ToolCall) => Promise<Told>;

/**
 * Calls a tool and tells its outcome: the text first, what is to be known beside it in a second.
 * @param sayFailed the words for a refusal, with the tool's name and the reason in them
 */
export async function callTool<Place>(
  tool: ToolOf<Place> | undefined,
  place: Place,
  { name, args, language, signal }: SourceRequest,
  sayFailed: (tool: string, reason: string) => string,
): Promise<Payload> {
  if (!tool) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
  try {
    const { text, structured, note } = await tool(place, { args: new Arguments(args, language), language, signal });
    const structuredContent = note === undefined ? structured : { ...structured, note };
    return Payload.ofValue({ content: texts(text, note), structuredContent, isError: false });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw toZaguanError(cause);
    return Payload.ofValue({ content: texts(sayFailed(name, cause.message), cause.advice), isError: true });
  }
}

function texts(...given: readonly (string | undefined)[]): readonly object[] {
  return given.filter((text) => text !== undefined).map((text) => ({ type: "text", text }));
}

export class Arguments {
  readonly #members: Fields;
  readonly #language: Language;
  /** Where they stand, with a dot at its end. */
  readonly #place: string;

  constructor(args: Payload, language: Language, place = "") {
    this.#language = language;
    this.#members = isObject(args.value) ? args.value : {};
    this.#place = place;
  }

  /** Without blanks around it; "" if it is not given. */
  text(name: string): string {
    const value = this.#given(name) ?? "";
    if (typeof value !== "string") throw this.#wrong(name, sayType(this.#language, ["string"]));
    return value.trim();
  }

  neededText(name: string): string {
    const text = this.text(name);
    if (text === "") throw this.#wrong(name, say(this.#language, "rule.missing"));
    return text;
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#given(name) ?? otherwise;
    if (typeof value !== "boolean") throw this.#wrong(name, sayType(this.#language, ["boolean"]));
    return value;
  }

  number(name: string, otherwise: number, least: number, most: number): number {
    const value = this.#given(name) ?? otherwise;
    if (typeof value !== "number") throw this.#wrong(name, sayType(this.#language, ["number"]));
    if (!(value >= least)) throw this.#wrong(name, say(this.#language, "rule.minimum", { limit: least }));
    if (value > most) throw this.#wrong(name, say(this.#language, "rule.maximum", { limit: most }));
    return value;
  }

  object(name: string): Fields | undefined {
    const value = this.#given(name);
    if (value !== undefined && !isObject(value)) throw this.#wrong(name, sayType(this.#language, ["object"]));
    return value;
  }

  /** A list, or a text with commas; none if it is not given. */
  names(name: string): readonly string[] {
    const value = this.#given(name) ?? [];
    const list: readonly unknown[] =
      typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [value];
    if (!list.every((each) => typeof each === "string")) throw this.#wrong(name, sayType(this.#language, ["string"]));
    return [...new Set(list.map((each) => each.trim()))].filter((each) => each !== "");
  }

  /** The members of an object; none if it is not given. */
  within(name: string): Arguments {
    return new Arguments(Payload.ofValue(this.object(name)), this.#language, `${this.#place}${name}.`);
  }

  /** A single object counts as a list of it, as it does in Home Assistant; undefined if it is not given. */
  list(name: string): readonly unknown[] | undefined {
    const value = this.#given(name);
    if (value === undefined || Array.isArray(value)) return value;
    if (!isObject(value)) throw this.#wrong(name, sayType(this.#language, ["array"]));
    return [value];
  }

  neededList(name: string): readonly unknown[] {
    const list = this.list(name);
    if (list === undefined) throw this.#wrong(name, say(this.#language, "rule.missing"));
    return list;
  }

  /** Whatever it is; undefined if it is not given. */
  value(name: string): unknown {
    return this.#given(name);
  }

  #given(name: string): unknown {
    return (Object.hasOwn(this.#members, name) ? this.#members[name] : undefined) ?? undefined;
  }

  #wrong(path: string, rule: string): ZaguanError {
    const reason = say(this.#language, "argument.wrong", { path: `${this.#place}${path}`, rule });
    return new ZaguanError("INVALID_ARGUMENT", { params: { reason }, delivery: "not_sent" });
  }
}

/**
 * A source understood a call and says no, or the call makes no sense there: told as the tool's own result, with these
 * words, and where we know it, with what can be done instead.
 */
export class Refusal extends Error {
  readonly advice: string | undefined;
  /** The source's own word for what kind of failure it is. */
  readonly code: unknown;

  constructor(words: string, advice?: string, code?: unknown) {
    super(tidy(words));
    this.advice = advice && tidy(advice);
    this.code = code;
  }
}

const MOST_CHARACTERS = 1_000;

/** The source's own words, on one line and of a length to read. */
function tidy(words: string): string {
  const line = words.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS).toWellFormed()}…` : line;
}

const MOST = 5;
const LONGEST = 100;
/** Bounds the time of one search, during which no other call is served. */
const MOST_LOOKED_AT = 10_000;
const LEAST_ALIKE = 0.3;

/**
 * What somebody probably meant: those whose names share the most pairs of letters with what was written, the best
 * first; none where nothing is like it.
 */
export function similar<T>(word: string, among: readonly T[], namesOf: (one: T) => readonly string[]): readonly T[] {
  const wanted = pairsOf(word.slice(0, LONGEST));
  const ranked = among.slice(0, MOST_LOOKED_AT).map((one) => ({
    one,
    alike: Math.max(...namesOf(one).map((name) => likeness(wanted, pairsOf(name.slice(0, LONGEST))))),
  }));
  const alike = ranked.filter((each) => each.alike >= LEAST_ALIKE).sort((a, b) => b.alike - a.alike);
  return alike.slice(0, MOST).map(({ one }) => one);
}

/** Dice's coefficient: from 0 for nothing in common to 1 for the same. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / Math.max(1, a.size + b.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  const letters = [...text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}
