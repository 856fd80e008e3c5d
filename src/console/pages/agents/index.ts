/** The page "agents": all agents and keys, or one agent. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Agent } from "../../../contract/agent.ts";
import { pathOf } from "../../../contract/client.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Badge, Empty, ProblemBox, Progress, Search } from "../../kit/parts.ts";
import { go, linkTo, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useSettled } from "../../kit/use-load.ts";
import { useArrival } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { AgentForm } from "./agent-form.ts";
import { AgentView } from "./agent-view.ts";
import { KeyList } from "./key-list.ts";
import { usePages } from "./use-pages.ts";

export function AgentsPage(): VNode {
  const [name] = useRoute().parts;
  const self = useStore(me);
  const place = useRef<HTMLDivElement>(null);
  useArrival(place, name ?? "");
  return html`<div ref=${place} tabindex="-1" class="agents">${shown(name, self)}</div>`;
}

function shown(name: string | undefined, self: PrincipalView | undefined): VNode {
  if (!self) return html`<${Progress} label=${t("nav.loading")} />`;
  if (name) return html`<${AgentView} key=${name} name=${name} self=${self} />`;
  if (self.limited) return html`<${NotForYou} self=${self} />`;
  return html`<div class="stack">
    <${AgentList} self=${self} />
    <${KeyList} self=${self} />
  </div>`;
}

/** Agents see themselves; other limited keys see none. */
function NotForYou({ self }: { self: PrincipalView }): VNode {
  return html`<${Empty} title=${t("agents.limited.title")}>
    <p>${t("agents.limited.text")}</p>
    ${self.kind === "agent" && html`<p><a href=${linkTo("agents", self.name)}>${t("agents.limited.own", { name: self.name })}</a></p>`}
  </${Empty}>`;
}

/** All agents: to be found, opened, and made. */
function AgentList({ self }: { self: PrincipalView }): VNode {
  const [search, setSearch] = useState("");
  const [making, setMaking] = useState(false);
  const wanted = useSettled(search.trim());
  const agents = usePages<Agent>(pathOf("listAgents", { query: { search: wanted } }));
  const isEmpty = agents.total === 0 && wanted === "";
  return html`<section class="card stack" aria-labelledby="agents-title">
    <div class="row">
      <h2 id="agents-title" class="grow">${t("agents.title")} ${agents.total !== undefined && html`<span class="muted agents-count">${number(agents.total)}</span>`}</h2>
      <button type="button" class="button primary" disabled=${!self.admin} aria-describedby=${self.admin ? undefined : "agents-why"} onClick=${() => setMaking(true)}>${t("agents.new")}</button>
    </div>
    ${!self.admin && html`<p id="agents-why">${t("agents.adminOnly")}</p>`}
    <p class="muted agents-lead">${t("agents.lead")}</p>
    ${!isEmpty && html`<${Search} label=${t("agents.search")} value=${search} set=${setSearch} />`}
    ${agents.problem && html`<${ProblemBox} problem=${agents.problem} retry=${agents.reload} />`}
    ${agents.total === undefined && agents.loading && html`<${Progress} label=${t("nav.loading")} />`}
    ${isEmpty && html`<${Empty} title=${t("agents.none.title")}><p>${t("agents.none.text")}</p></${Empty}>`}
    ${agents.total === 0 && wanted !== "" && html`<p role="status">${t("agents.noMatch", { search: wanted })}</p>`}
    ${agents.rows.length > 0 && html`<ul class="agents-list">${agents.rows.map((agent) => html`<${AgentRow} key=${agent.id} agent=${agent} />`)}</ul>`}
    ${agents.rows.length < (agents.total ?? 0) && html`<button type="button" class="button" disabled=${agents.loading} onClick=${agents.more}>${t("agents.more")}</button>`}
    ${making && html`<${AgentForm} close=${() => setMaking(false)} saved=${(agent: Agent) => go("agents", agent.name)} />`}
  </section>`;
}

function AgentRow({ agent }: { agent: Agent }): VNode {
  return html`<li>
    <a class="agents-name" href=${linkTo("agents", agent.name)}>${agent.name}</a>
    <span class="muted ellipsis">${agent.description}</span>
    <${Badge} tone="quiet">${t(`agents.autonomy.${agent.autonomy}`)}</${Badge}>
  </li>`;
}
