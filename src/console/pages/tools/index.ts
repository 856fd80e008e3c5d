/** The page "tools": all that can be called, and one tool to look at and to try. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { useRoute } from "../../kit/router.ts";
import { ToolList } from "./tool-list.ts";
import { ToolPage } from "./tool-page.ts";

/** `#/tools`, and `#/tools/SERVER/TOOL`. */
export function ToolsPage(): VNode {
  const { parts } = useRoute();
  const [server, tool] = parts;
  if (!server || !tool) return html`<${ToolList} />`;
  return html`<${ToolPage} key=${`${server}/${tool}`} server=${server} tool=${tool} />`;
}
