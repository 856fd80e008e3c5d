/**
 * A tool that is kept in a variable or a list, checked, with the types of its handler's arguments known, and functions
 * for the three kinds of properties; the plain objects of `tool.ts` do as well.
 */
import { checkTool } from "./check.ts";
import type { BooleanProperty, IntegerProperty, Properties, StringProperty, UserTool } from "./tool.ts";

export function defineTool<const P extends Properties>(tool: UserTool<P>): UserTool<P> {
  checkTool(tool);
  return tool;
}

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
