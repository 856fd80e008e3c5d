/** What a form can draw: the kinds of fields that schemas come down to. Types alone. */

/** What a schema says of itself beside what it allows. */
export interface About {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Undefined where there is none; JSON has no such value. */
  readonly default?: unknown;
  readonly examples: readonly unknown[];
  readonly deprecated: boolean;
  /** `null` will do as well. */
  readonly nullable: boolean;
  /** It has rules that a form does not show (`not`, `if`, …): the hub knows them. */
  readonly furtherRules: boolean;
  /** It refers to something that is not there, by this name. */
  readonly broken?: string | undefined;
}

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

export interface Member {
  readonly name: string;
  readonly schema: unknown;
  readonly required: boolean;
}

export interface Variant {
  readonly schema: unknown;
  /** Undefined where nothing tells them apart but their number. */
  readonly label?: string | undefined;
}

export interface Bounds {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  /** The bound itself is not allowed. */
  readonly openBelow: boolean;
  readonly openAbove: boolean;
}

export interface TextShape {
  readonly kind: "text";
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly shortest?: number | undefined;
  readonly longest?: number | undefined;
  /** Meant for more than a line. */
  readonly long: boolean;
}

export interface NumberShape extends Bounds {
  readonly kind: "number";
  readonly whole: boolean;
  readonly step?: number | undefined;
}

export interface ObjectShape {
  readonly kind: "object";
  readonly members: readonly Member[];
  /** Of members by other names: undefined where there may be none; those by pattern first. */
  readonly patterns: readonly { readonly pattern: string; readonly schema: unknown }[];
  readonly others: unknown;
  /** Other members are part of the idea, not only tolerated. */
  readonly isOpen: boolean;
}

export interface ArrayShape {
  readonly kind: "array";
  /** What stands at each of the first places. */
  readonly first: readonly unknown[];
  /** Undefined where nothing may follow. */
  readonly items: unknown;
  readonly fewest: number;
  readonly most?: number | undefined;
}

interface VariantsShape {
  readonly kind: "variants";
  readonly variants: readonly Variant[];
  /** The member that tells them apart. */
  readonly discriminator?: string | undefined;
}

export type Shape = { readonly about: About } & (
  | TextShape
  | NumberShape
  | ObjectShape
  | ArrayShape
  | VariantsShape
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  | { readonly kind: "const"; readonly value: unknown }
  | { readonly kind: "choice"; readonly choices: readonly Choice[] }
  /** Anything: as JSON. */
  | { readonly kind: "any" }
  /** Nothing is allowed here. */
  | { readonly kind: "never" }
);

export type Kind = Shape["kind"];
