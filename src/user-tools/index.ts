/**
 * What a module of tools imports as `zaguan/tools`. Each module that a hub loads has this file evaluated for itself, with
 * its number in the address: so `addTool` knows for whom it adds, however late it is called. Nothing but names stands here.
 */
import { addToolOf } from "./registrar.ts";
import type { AddTool } from "./tool.ts";

export { boolean, defineTool, type IntegerOptions, integer, string } from "./define.ts";
export type * from "./tool.ts";

/** Adds a tool to those of this module. Throws, with the reason, if there is anything wrong with it. */
export const addTool: AddTool = addToolOf(import.meta.url);
