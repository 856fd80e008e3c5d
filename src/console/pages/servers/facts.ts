/** What is known of one server, line by line. */
import type { VNode } from "preact";
import type { ServerLive } from "../../../doors/live/views.ts";
import { CopyButton } from "../../kit/copy.ts";
import { ago, dateTime, number } from "../../kit/format.ts";
import { type Children, html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { toolsLink } from "./route.ts";
import { toolsText } from "./row.ts";
import { kindText, revisionText } from "./state.ts";
import type { ServerRecord } from "./types.ts";

export function Facts({ record, live }: { record: ServerRecord; live: ServerLive }): VNode {
  const own = ownAddress(record.name);
  return html`<section class="card" aria-labelledby="servers-facts">
    <h3 id="servers-facts">${t("servers.facts")}</h3>
    <dl class="servers-facts">
      ${fact(t("servers.fact.tools"), html`<a href=${toolsLink(record.name)}>${toolsText(live.tools)}</a>`)}
      ${fact(t("servers.fact.kind"), kindText(live.kind))}
      ${record.transport !== null && record.transport !== live.kind && fact(t("servers.fact.transport"), record.transport)}
      ${fact(t("servers.fact.mcp"), revisionText(live.revision) ?? t(live.isMcp ? "servers.mcp.unknown" : "servers.mcp.none"))}
      ${record.baseUrl !== null && fact(t("servers.fact.url"), html`<code>${record.baseUrl}</code>`)}
      ${record.command !== null && fact(t("servers.fact.command"), html`<code>${record.command}</code>`)}
      ${record.origin === "registered" && fact(t("servers.fact.auth"), t(`servers.auth.${record.authType}`))}
      ${fact(t("servers.fact.origin"), t(`servers.origin.${record.origin}`))}
      ${fact(t("servers.fact.restarts"), number(live.restarts))}
      ${fact(t("servers.fact.seen"), record.lastSeenUtc === null ? t("servers.never") : moment(record.lastSeenUtc))}
      ${fact(t("servers.fact.created"), moment(record.createdUtc))}
      ${fact(t("servers.fact.id"), html`<code>${record.id}</code>`)}
      ${fact(t("servers.fact.own"), html`<code>${own}</code> <${CopyButton} text=${own} />`, true)}
    </dl>
  </section>`;
}

export function fact(name: string, value: Children, wide = false): VNode {
  return html`<div key=${name} data-wide=${wide}><dt>${name}</dt><dd>${value}</dd></div>`;
}

function moment(utc: string): VNode {
  return html`<time datetime=${utc}>${dateTime(utc)}</time><br /><span class="muted servers-small">${ago(utc)}</span>`;
}

/** Where clients find this server alone. */
function ownAddress(name: string): string {
  return new URL(`servers/${encodeURIComponent(name)}/mcp`, document.baseURI).href;
}
