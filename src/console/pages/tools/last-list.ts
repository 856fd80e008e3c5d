/** The list as it was last looked at: the way back from a tool leads there, search, place and all. */
import type { ToolPages } from "./tool-pages.ts";

interface LastList {
  address: string;
  /** How far it was scrolled, and the tool that was opened. */
  top: number;
  opened: string | undefined;
  pages: ToolPages | undefined;
}

export const lastList: LastList = { address: "#/tools", top: 0, opened: undefined, pages: undefined };

/** Whether a tool was opened from the list, not by its address. */
export function isFollowed(): boolean {
  return lastList.opened !== undefined;
}
