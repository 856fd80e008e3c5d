/** The page "nodes": who is alive, how busy each is, what each holds, and draining one. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { HubNode, Nodes } from "../../../contract/node.ts";
import { rest } from "../../kit/api.ts";
import { Confirm } from "../../kit/dialog.ts";
import { number, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Badge, Empty, ProblemBox, Progress, toast, WorkButton } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { type Loaded, useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { type NodeRow, type ShownSource, shownSources, toRows } from "./rows.ts";

const REFRESH_MS = 2_000;

export function NodesPage(): VNode {
  const self = useStore(me);
  if (!self) return html`<${Progress} label=${t("nav.loading")} />`;
  return self.limited ? html`<${Empty} title=${t("nodes.limited")} />` : html`<${Everyone} isAdmin=${self.admin} />`;
}

function Everyone({ isAdmin }: { isAdmin: boolean }): VNode {
  const { value, problem, reload } = useNodes();
  if (problem && !value) return html`<${ProblemBox} problem=${problem} retry=${reload} />`;
  if (!value) return html`<${Progress} label=${t("nav.loading")} />`;
  if (value.node === undefined) return html`<${Empty} title=${t("nodes.none")} />`;
  return html`<div class="stack">
    ${problem && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
    <p class="muted">${t("nodes.lead")}</p>
    ${!isAdmin && html`<p id="nodes-why">${t("nodes.adminOnly")}</p>`}
    <${NodeTable} nodes=${value} isAdmin=${isAdmin} changed=${reload} />
    <${Unheld} nodes=${value} />
  </div>`;
}

/** Asked for again every now and then: nobody tells how busy a node is. */
function useNodes(): Loaded<Nodes> {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setRound((before) => before + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return useLoad((signal) => rest.listNodes({}, signal), [round]);
}

interface TableProps {
  readonly nodes: Nodes;
  readonly isAdmin: boolean;
  readonly changed: () => void;
}

function NodeTable({ nodes, isAdmin, changed }: TableProps): VNode {
  return html`<div class="card scroll-x" tabindex="0" role="region" aria-label=${t("nodes.list")}>
    <table class="nodes-table">
      <thead>
        <tr>
          <th scope="col">${t("nodes.name")}</th>
          <th scope="col">${t("nodes.load")}</th>
          <th scope="col">${t("nodes.calls")}</th>
          <th scope="col">${t("nodes.open")}</th>
          <th scope="col">${t("nodes.uptime")}</th>
          <th scope="col">${t("nodes.held")}</th>
          <th scope="col"><span class="hidden-text">${t("nodes.actions")}</span></th>
        </tr>
      </thead>
      <tbody>
        ${toRows(nodes).map((row) => html`<${Row} key=${row.name} row=${row} isAdmin=${isAdmin} changed=${changed} />`)}
      </tbody>
    </table>
  </div>`;
}

function Row({ row, isAdmin, changed }: { row: NodeRow; isAdmin: boolean; changed: () => void }): VNode {
  const { node } = row;
  return html`<tr>
    <th scope="row">
      ${row.name} <${StateOf} row=${row} />
      ${node && html`<div class="muted">${node.version}</div>`}
    </th>
    ${node ? html`<${Facts} node=${node} />` : html`<td colspan="5" class="muted">${t("nodes.missing.text")}</td>`}
    <td>${node && html`<${DrainButton} node=${node} isAdmin=${isAdmin} changed=${changed} />`}</td>
  </tr>`;
}

function StateOf({ row: { state, isHere } }: { row: NodeRow }): VNode {
  const tone = { alive: "good", draining: "warn", missing: "bad" } as const;
  return html`<${Badge} tone=${tone[state]}>${t(`nodes.state.${state}`)}</${Badge}>
    ${isHere && html` <${Badge} tone="busy">${t("nodes.here")}</${Badge}>`}`;
}

function Facts({ node }: { node: HubNode }): VNode {
  return html`<td class="nodes-number">${t("figures.percent", { value: number(node.load, 1) })}</td>
    <td class="nodes-number">${number(node.callsInFlight)}</td>
    <td class="nodes-number">${number(node.open)}</td>
    <td class="nodes-number">${span(node.uptimeSeconds * 1_000)}</td>
    <td><span class="nodes-number">${number(node.owned)}</span> <${Sources} sources=${node.sources} total=${node.owned} /></td>`;
}

function Sources({ sources, total }: { sources: HubNode["sources"]; total?: number }): VNode {
  const { shown, more } = shownSources(sources, total);
  return html`<ul class="nodes-held">
    ${shown.map((source) => html`<li key=${source.name}><${SourceLink} source=${source} /></li>`)}
    ${more > 0 && html`<li class="muted">${t("nodes.more", { count: number(more) })}</li>`}
  </ul>`;
}

function SourceLink({ source: { name, pins } }: { source: ShownSource }): VNode {
  return html`<a href=${linkTo("servers", name)}>${name}</a>
    ${pins !== undefined && html` <span class="muted">${t("nodes.pinned", { nodes: pins })}</span>`}`;
}

function DrainButton({ node, isAdmin, changed }: { node: HubNode; isAdmin: boolean; changed: () => void }): VNode {
  const [isAsked, setAsked] = useState(false);
  const name = node.node;
  const drain = async (): Promise<void> => {
    setAsked(false);
    await rest.drainNode({ id: name });
    toast(t("nodes.drained", { name }));
    changed();
  };
  const undrain = async (): Promise<void> => {
    await rest.undrainNode({ id: name });
    toast(t("nodes.undrained", { name }));
    changed();
  };
  if (node.draining)
    return html`<${WorkButton} class="button small" disabled=${!isAdmin} work=${undrain}>${t("nodes.undrain")}</${WorkButton}>`;
  return html`<button type="button" class="button small danger" disabled=${!isAdmin} aria-label=${t("nodes.drainOf", { name })} onClick=${() => setAsked(true)}>${t("nodes.drain")}</button>
    ${isAsked && html`<${Confirm} title=${t("nodes.drain.title", { name })} text=${t("nodes.drain.text")} action=${t("nodes.drain")} confirm=${() => void drain().catch(failed)} close=${() => setAsked(false)} />`}`;
}

function failed(cause: unknown): void {
  toast(cause instanceof Error ? cause.message : String(cause), "bad");
}

function Unheld({ nodes: { unheld } }: { nodes: Nodes }): VNode | null {
  if (unheld.length === 0) return null;
  return html`<section class="card" aria-labelledby="nodes-unheld">
    <h2 id="nodes-unheld">${t("nodes.unheld")}</h2>
    <p class="muted">${t("nodes.unheld.text")}</p>
    <${Sources} sources=${unheld} />
  </section>`;
}
