/** One server in the list. */
import type { VNode } from "preact";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { serverLink, toolsLink } from "./route.ts";
import type { ServerRow } from "./rows.ts";
import { kindText, revisionText, StateBadge } from "./state.ts";

export function Row({ row }: { row: ServerRow }): VNode {
  return html`<div class="servers-row">
    <div class="servers-row-name">
      <a class="ellipsis" href=${serverLink(row.name)}>${row.title}</a>
      <span class="muted ellipsis">${about(row)}</span>
    </div>
    <div class="servers-row-state">
      <${StateBadge} state=${row.state} silent=${row.silent} />
      ${row.restarts > 0 && html`<span class="muted">${restartsText(row.restarts)}</span>`}
    </div>
    ${note(row)}
    <a class="servers-row-tools" href=${toolsLink(row.name)} aria-label=${`${toolsText(row.tools)}: ${row.title}`}>${toolsText(row.tools)}</a>
  </div>`;
}

/** What it says while it starts, else what went wrong last. */
function note({ progress, lastError }: ServerRow): VNode {
  const [label, text] =
    progress === null ? (["servers.lastError", lastError] as const) : (["servers.progress", progress] as const);
  return html`<div class="servers-row-note ellipsis" data-tone=${progress === null ? "bad" : "busy"}>${text !== null && html`<span class="hidden-text">${t(label)}</span> ${text}`}</div>`;
}

export function toolsText(count: number): string {
  return count === 1 ? t("servers.tools.one") : t("servers.tools.many", { count: number(count) });
}

function restartsText(count: number): string {
  return count === 1 ? t("servers.restarts.one") : t("servers.restarts.many", { count: number(count) });
}

/** Kind, transport where that says more, and what it speaks. */
function about({ kind, transport, revision }: ServerRow): string {
  const way = transport !== null && transport !== kind ? transport : undefined;
  return [kindText(kind), way, revisionText(revision)].filter(Boolean).join(" · ");
}
