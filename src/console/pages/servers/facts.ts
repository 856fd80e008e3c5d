/** What is known of one server, line by line. */
import type { VNode } from "preact";
import type { Refreshed } from "../../../contract/api.ts";
import type { ServerLive } from "../../../doors/live/views.ts";
import { rest } from "../../kit/api.ts";
import { CopyButton } from "../../kit/copy.ts";
import { ago, dateTime, number } from "../../kit/format.ts";
import { type Children, html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { ProblemBox } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { schemeText } from "./openapi-auth.ts";
import { Skipped } from "./openapi-operations.ts";
import { toolsLink } from "./route.ts";
import type { ServerRecord } from "./rows.ts";
import { kindText, revisionText, toolsText } from "./state.ts";
import { type Try, useTry, Waiting } from "./use-try.ts";

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
      ${live.node !== undefined && fact(t("servers.fact.node"), live.node ?? t("servers.node.none"))}
      ${fact(t("servers.fact.restarts"), number(live.restarts))}
      ${fact(t("servers.fact.seen"), record.lastSeenUtc === null ? t("servers.never") : moment(record.lastSeenUtc))}
      ${fact(t("servers.fact.created"), moment(record.createdUtc))}
      ${fact(t("servers.fact.id"), html`<code>${record.id}</code>`)}
      ${fact(t("servers.fact.own"), html`<code>${own}</code> <${CopyButton} text=${own} />`, true)}
    </dl>
  </section>`;
}

function fact(name: string, value: Children, wide = false): VNode {
  return html`<div key=${name} data-wide=${wide}><dt>${name}</dt><dd>${value}</dd></div>`;
}

function moment(utc: string): VNode {
  return html`<time datetime=${utc}>${dateTime(utc)}</time><br /><span class="muted servers-small">${ago(utc)}</span>`;
}

/** Where clients find this server alone. */
function ownAddress(name: string): string {
  return new URL(`servers/${encodeURIComponent(name)}/mcp`, document.baseURI).href;
}

/** What an API was made of: its document, what was chosen of it, and what could not be read. */
export function ApiCard({ name }: { name: string }): VNode | null {
  const { limited = true, admin = false } = useStore(me) ?? {};
  const again = useTry<Refreshed>();
  const { value } = useLoad(async (signal) => (limited ? [] : rest.listApis({}, signal)), [name, limited, again.value]);
  // Not every API came as a document.
  const api = value?.find((one) => one.name === name);
  if (!api) return null;
  const chosen = [...api.tags, ...api.paths];
  return html`<section class="card" aria-labelledby="servers-api">
    <h3 id="servers-api">${t("servers.api")}</h3>
    <dl class="servers-facts">
      ${fact(t("servers.api.title"), api.title)}
      ${fact(t("servers.api.document"), api.url === null ? t("servers.api.text") : html`<code>${api.url}</code>`)}
      ${fact(t("servers.api.base"), html`<code>${api.baseUrl}</code>`)}
      ${chosen.length > 0 && fact(t("servers.api.chosen"), chosen.join(", "))}
      ${api.schemes.map(({ name: scheme, type, given }) => fact(`${scheme} (${schemeText(type)})`, t(given ? "servers.api.given" : "servers.api.notGiven")))}
    </dl>
    <${Skipped} skipped=${api.skipped} />
    ${admin && html`<${ReadAgain} name=${name} hasUrl=${api.url !== null} again=${again} />`}
  </section>`;
}

/** From where it came; one that came as text has to be handed over again. */
function ReadAgain(props: { name: string; hasUrl: boolean; again: Try<Refreshed> }): VNode {
  const { name, hasUrl, again } = props;
  const read = (body: { readonly document?: string }): unknown =>
    again.run((signal) => rest.refreshApi({ id: name, body }, signal));
  const readFile = async (event: Event): Promise<void> => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) read({ document: await file.text() });
  };
  return html`<div class="stack servers-again">
    ${
      hasUrl
        ? html`<div><button type="button" class="button" aria-disabled=${again.since !== undefined} onClick=${() => again.since === undefined && read({})}>${t("servers.api.again")}</button></div>`
        : html`<label class="servers-file">${t("servers.api.againFile")} <input type="file" accept=".json,.yaml,.yml" onChange=${readFile} /></label>`
    }
    ${again.since !== undefined && html`<${Waiting} label=${t("servers.openapi.reading")} since=${again.since} stop=${again.reset} />`}
    ${again.problem && html`<${ProblemBox} problem=${again.problem} />`}
    ${again.value && html`<p class="servers-notice" role="status" data-tone="good">${changesText(again.value)}</p>`}
  </div>`;
}

function changesText({ changes: { added, removed, changed } }: Refreshed): string {
  const counts = { added: number(added.length), gone: number(removed.length), changed: number(changed.length) };
  return t("servers.api.refreshed", counts);
}
