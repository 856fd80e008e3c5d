/** What the core asks of the world outside. The composition root gives the real ones, tests give fakes. */
import type { Language } from "../messages/catalogue.ts";
import type { Member } from "../protocol/json/scan.ts";

export interface Clock {
  /** Milliseconds that only grow; not the time of day. */
  now(): number;
  /** Calls back once, later; the returned function takes it back. */
  after(ms: number, run: () => void): () => void;
}

/** A number in [0, 1). */
export type Random = () => number;

/** What is wrong with a call's arguments. */
export interface ArgumentIssue {
  /** Dotted path, "" for the whole. */
  readonly path: string;
  /** To stand behind the path, in the language asked for: "must be boolean". */
  readonly rule: string;
}

export interface SchemaChecker {
  /**
   * Whether the members of an object show already, without their values, that it fits; false where one has to look closer.
   */
  surelyFits(schema: Readonly<Record<string, unknown>>, shape: readonly Member[]): boolean;
  /** The first issues found, at most ten; none if the value fits or the schema cannot be checked safely. */
  check(schema: Readonly<Record<string, unknown>>, value: unknown, language?: Language): readonly ArgumentIssue[];
  /**
   * Whether it would fit if types were coerced as many servers do it: "5" to a number, "true" to a boolean, 5 to a text,
   * one value to a list of such. The value is not changed.
   */
  fitsCoerced(schema: Readonly<Record<string, unknown>>, value: unknown): boolean;
}
