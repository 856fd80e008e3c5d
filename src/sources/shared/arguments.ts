/**
 * The arguments of one call, read member by member. The hub checks them before; this holds where a client talks to one source
 * alone and its words pass unchecked. What is null counts as not given.
 */
import { ZaguanError } from "../../errors.ts";
import { type Language, say, sayType } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";

export type Fields = Readonly<Record<string, unknown>>;

export class Arguments {
  readonly #members: Fields;
  readonly #language: Language;
  /** Where they stand, with a dot at its end. */
  readonly #place: string;

  constructor(args: Payload, language: Language, place = "") {
    this.#language = language;
    this.#members = isFields(args.value) ? args.value : {};
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
    if (value !== undefined && !isFields(value)) throw this.#wrong(name, sayType(this.#language, ["object"]));
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
    if (!isFields(value)) throw this.#wrong(name, sayType(this.#language, ["array"]));
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

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
