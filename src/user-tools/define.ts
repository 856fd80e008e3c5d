/** A tool that is kept in a variable or a list, checked, with the types of its handler's arguments known. */
import { checkTool } from "./check.ts";
import type { Properties, UserTool } from "./tool.ts";

export function defineTool<const P extends Properties>(tool: UserTool<P>): UserTool<P> {
  checkTool(tool);
  return tool;
}
