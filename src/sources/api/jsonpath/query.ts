/** A JSONPath (RFC 9535) after it was read. Types only. */

export interface Query {
  readonly isRelative: boolean;
  readonly segments: readonly Segment[];
}

export interface Segment {
  /** Whether the selectors count for everything below as well. */
  readonly descends: boolean;
  readonly selectors: readonly Selector[];
}

export type Selector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "index"; readonly index: number }
  | {
      readonly kind: "slice";
      readonly start: number | undefined;
      readonly end: number | undefined;
      readonly step: number;
    }
  | { readonly kind: "filter"; readonly test: Test };

export type Comparator = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Test =
  | { readonly kind: "or" | "and"; readonly tests: readonly Test[] }
  | { readonly kind: "not"; readonly test: Test }
  | { readonly kind: "exists"; readonly query: Query }
  | MatchTest
  | { readonly kind: "compare"; readonly left: Operand; readonly is: Comparator; readonly right: Operand };

export interface MatchTest {
  readonly kind: "match" | "search";
  readonly text: Operand;
  readonly pattern: Operand;
}

/** What has one value at the most. */
export type Operand =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "single"; readonly query: Query }
  | { readonly kind: "length"; readonly of: Operand }
  | { readonly kind: "count" | "value"; readonly query: Query };
