/** One tool in the list: its name, whose it is, what it does in a line. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { linkTo } from "../../kit/router.ts";
import { t } from "../../kit/words.ts";
import { lastList } from "./last-list.ts";
import { StateBadges } from "./tool-badges.ts";
import type { ToolRow } from "./tool-pages.ts";

/** As in the style sheet. */
export const ROW_PIXELS = 76;

export function drawTool(row: ToolRow): VNode {
  return html`<a class="tool-row" href=${linkTo("tools", row.serverSlug, row.name.toWellFormed())} onClick=${remember}>
    <span class="tool-line">
      <strong class="ellipsis">${row.name}</strong>
      <span class="tool-server ellipsis">${row.serverName}</span>
      <${StateBadges} tool=${row} />
    </span>
    <span class="tool-description muted">${row.description || t("tools.list.noDescription")}</span>
  </a>`;
}

/** For the way back. */
function remember(event: Event): void {
  const link = event.currentTarget as HTMLAnchorElement;
  lastList.opened = link.hash;
  lastList.top = link.closest(".tool-rows")?.scrollTop ?? 0;
}
