/** Which tools an agent has: those that are linked, and beside them all there are, to be ticked. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { pathOf } from "../../../contract/client.ts";
import type { Tool } from "../../../contract/tool.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { servers, tools } from "../../kit/live.ts";
import { Badge, Empty, ProblemBox, Progress, Search, valueIn } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useSettled } from "../../kit/use-load.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import type { LinkDesk, LinkRow } from "./link-desk.ts";
import { LinkedTool } from "./linked-tool.ts";
import type { AgentLinks } from "./use-links.ts";
import { type Pages, usePages } from "./use-pages.ts";

const PICK_HEIGHT = 60;
const LINKED_HEIGHT = 88;
/** At most so many tools are linked by one press. */
const MOST_AT_ONCE = 100;

export function AgentTools({ links, may }: { links: AgentLinks; may: boolean }): VNode {
  return html`<section class="card stack" aria-labelledby="agent-tools-title">
    <h2 id="agent-tools-title">${t("agents.tools.title")}</h2>
    ${links.problem && html`<${ProblemBox} problem=${links.problem} retry=${links.reload} />`}
    <div class="columns agents-columns">
      <${Linked} links=${links} may=${may} />
      ${may && html`<${Picker} links=${links} />`}
    </div>
  </section>`;
}

function Linked({ links, may }: { links: AgentLinks; may: boolean }): VNode {
  const { rows, problem } = links;
  return html`<div class="stack agents-side">
    <h3>${t("agents.linked.title")} ${rows && html`<span class="muted agents-count" role="status">${number(rows.length)}</span>`}</h3>
    ${!rows && !problem && html`<${Progress} label=${t("nav.loading")} />`}
    ${rows?.length === 0 && html`<${Empty} title=${t("agents.linked.none")}><p>${t("agents.linked.next")}</p></${Empty}>`}
    ${
      rows &&
      rows.length > 0 &&
      html`<${VirtualList}
        class="agents-tools"
        label=${t("agents.linked.title")}
        rows=${rows}
        rowHeight=${LINKED_HEIGHT}
        keyOf=${({ tool }: LinkRow) => tool.id}
        draw=${(row: LinkRow) => html`<${LinkedTool} row=${row} links=${links} may=${may} />`}
      />`
    }
  </div>`;
}

function Picker({ links: { desk, rows } }: { links: AgentLinks }): VNode {
  const [search, setSearch] = useState("");
  const [server, setServer] = useState("");
  const wanted = useSettled(search.trim());
  // Links change what an agent is offered, not what there is.
  const count = useStore(tools, (offer) => offer.count);
  const found = usePages<Tool>(listAt(server, wanted), [useSettled(count, 500)]);
  return html`<div class="stack agents-side">
    <h3>${t("agents.pick.title")}</h3>
    <div class="agents-search">
      <${Search} label=${t("agents.pick.search")} value=${search} set=${setSearch} />
      <${ServerChoice} server=${server} choose=${setServer} />
    </div>
    <${PickerHead} found=${found} isNarrowed=${wanted !== "" || server !== ""} desk=${desk} />
    ${found.problem && html`<${ProblemBox} problem=${found.problem} retry=${found.reload} />`}
    ${
      found.rows.length > 0 &&
      html`<${VirtualList}
        class="agents-tools"
        label=${t("agents.pick.title")}
        rows=${found.rows}
        rowHeight=${PICK_HEIGHT}
        keyOf=${({ id }: Tool) => id}
        draw=${(tool: Tool) => html`<${Pick} tool=${tool} linked=${desk.isLinked(tool.id)} ready=${rows !== undefined} desk=${desk} />`}
        atEnd=${found.more}
      />`
    }
    ${found.total === 0 && wanted === "" && server === "" && html`<${Empty} title=${t("agents.pick.none")}><p>${t("agents.pick.next")}</p></${Empty}>`}
  </div>`;
}

function listAt(serverId: string, search: string): string {
  if (serverId === "") return pathOf("listAllTools", { query: { search } });
  return pathOf("listToolsOfServer", { query: { serverId, search } });
}

function ServerChoice({ server, choose }: { server: string; choose: (name: string) => void }): VNode {
  const known = useStore(servers);
  return html`<select aria-label=${t("agents.pick.server")} value=${server} onChange=${(event: Event) => choose(valueIn(event))}>
    <option value="">${t("agents.pick.anyServer")}</option>
    ${known.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}
  </select>`;
}

function PickerHead(props: { found: Pages<Tool>; isNarrowed: boolean; desk: LinkDesk }): VNode {
  const { found, isNarrowed, desk } = props;
  const rest = found.rows.filter(({ id }) => !desk.isLinked(id));
  const isAll = found.total === found.rows.length && rest.length > 0 && rest.length <= MOST_AT_ONCE;
  const linkAll = (): void => {
    for (const tool of rest) desk.link(tool);
  };
  return html`<div class="row agents-pick-head">
    <span class="muted grow" role="status">${found.total !== undefined && t("agents.pick.found", { count: number(found.total) })}</span>
    ${isNarrowed && isAll && html`<button type="button" class="button small" onClick=${linkAll}>${t("agents.pick.all", { count: number(rest.length) })}</button>`}
  </div>`;
}

/** `ready` as soon as it is known what is linked: before that a tick would say something else than it seems to. */
function Pick(props: { tool: Tool; linked: boolean; ready: boolean; desk: LinkDesk }): VNode {
  const { tool, linked, ready, desk } = props;
  const id = `pick-${tool.id}`;
  const turn = (): void => (desk.isLinked(tool.id) ? desk.unlink(tool) : desk.link(tool));
  return html`<label class="agents-pick">
    <input type="checkbox" checked=${linked} disabled=${!ready} aria-labelledby=${`${id}-name`} aria-describedby=${`${id}-about`} onChange=${turn} />
    <span class="agents-tool">
      <span class="ellipsis" id=${`${id}-name`}><strong>${tool.name}</strong> <span class="muted">${tool.serverName}</span></span>
      <span class="muted ellipsis agents-about" id=${`${id}-about`}>${tool.quarantine ?? tool.description}</span>
    </span>
    ${tool.quarantine && html`<${Badge} tone="warn">${t("agents.pick.quarantine")}</${Badge}>`}
  </label>`;
}
