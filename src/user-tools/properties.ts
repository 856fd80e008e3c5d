/** Sugar for the three kinds of properties; the plain objects of `tool.ts` do as well. */
import type { BooleanProperty, IntegerProperty, StringProperty } from "./tool.ts";

export function boolean(options: Omit<BooleanProperty, "type"> = {}): BooleanProperty {
  return { type: "boolean", ...options };
}

export interface IntegerOptions {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly default?: number | undefined;
  readonly description?: string | undefined;
}

export function integer({ min, max, ...rest }: IntegerOptions = {}): IntegerProperty {
  return { type: "integer", ...rest, minimum: min, maximum: max };
}

export function string(options: Omit<StringProperty, "type"> = {}): StringProperty {
  return { type: "string", ...options };
}
