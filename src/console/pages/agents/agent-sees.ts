/** What an agent sees: its tools, asked for at its own address as it asks for them. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Agent } from "../../../contract/agent.ts";
import { ask, at, Problem } from "../../kit/api.ts";
import { CopyButton, Snippet } from "../../kit/copy.ts";
import { Dialog } from "../../kit/dialog.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { tools } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad, useSettled } from "../../kit/use-load.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { addressesOf, pageBase } from "../connect/place.ts";

const ROW_HEIGHT = 60;

export function AgentSees({ agent, version }: { agent: Agent; version: number }): VNode {
  const offer = useSettled(useStore(tools), 500);
  const seen = useLoad((signal) => offeredTools(agent.name, signal), [agent.name, useSettled(version, 300), offer]);
  const [shown, setShown] = useState<OfferedTool>();
  const { mcp } = addressesOf(pageBase(location.href), { kind: "agent", name: agent.name });
  return html`<section class="card stack" aria-labelledby="agent-sees-title">
    <h2 id="agent-sees-title">${t("agents.sees.title")} ${seen.value && html`<span class="muted agents-count" role="status">${number(seen.value.length)}</span>`}</h2>
    <p class="muted agents-lead">${t("agents.sees.lead")}</p>
    <div class="row agents-address">
      <code class="grow">${mcp}</code>
      <${CopyButton} text=${mcp} label=${t("agents.sees.copy")} />
      <a class="button small" href=${`${linkTo("connect")}?to=agent:${encodeURIComponent(agent.name)}`}>${t("agents.sees.connect")}</a>
    </div>
    ${seen.problem && html`<${ProblemBox} problem=${seen.problem} retry=${seen.reload} />`}
    ${!seen.value && seen.loading && html`<${Progress} label=${t("nav.loading")} />`}
    ${seen.value?.length === 0 && html`<${Empty} title=${t("agents.sees.none")}><p>${t("agents.sees.next")}</p></${Empty}>`}
    ${
      seen.value &&
      seen.value.length > 0 &&
      html`<${VirtualList}
        class="agents-tools"
        label=${t("agents.sees.title")}
        rows=${seen.value}
        rowHeight=${ROW_HEIGHT}
        keyOf=${({ name }: OfferedTool) => name}
        draw=${(tool: OfferedTool) => html`<${Seen} tool=${tool} show=${setShown} />`}
      />`
    }
    ${shown && html`<${Definition} tool=${shown} close=${() => setShown(undefined)} />`}
  </section>`;
}

function Seen({ tool, show }: { tool: OfferedTool; show: (tool: OfferedTool) => void }): VNode {
  return html`<div class="agents-pick">
    <span class="agents-tool">
      <strong class="ellipsis">${tool.name}</strong>
      <span class="muted ellipsis agents-about">${tool.description ?? tool.title}</span>
    </span>
    <button type="button" class="button small" aria-label=${t("agents.sees.definitionOf", { tool: tool.name })} onClick=${() => show(tool)}>${t("agents.sees.definition")}</button>
  </div>`;
}

function Definition({ tool, close }: { tool: OfferedTool; close: () => void }): VNode {
  return html`<${Dialog} title=${tool.name} wide=${true} close=${close}>
    <${Snippet} text=${JSON.stringify(tool, null, 2)} label=${t("agents.sees.definition")} />
  </${Dialog}>`;
}

interface ListAnswer {
  readonly result?: { readonly tools?: readonly OfferedTool[]; readonly nextCursor?: string };
  readonly error?: { readonly message: string };
}

/** The list of tools at an agent's own address, page after page, as any client asks for it. */
async function offeredTools(agent: string, signal: AbortSignal): Promise<readonly OfferedTool[]> {
  const all: OfferedTool[] = [];
  let cursor: string | undefined;
  do {
    const { tools = [], nextCursor } = await askForPage(agent, cursor, signal);
    all.push(...tools);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function askForPage(agent: string, cursor: string | undefined, signal: AbortSignal) {
  const params = cursor === undefined ? {} : { cursor };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params };
  const headers = { accept: "application/json" };
  const answer = await ask("POST", at`/agents/${agent}/mcp`, { body, headers, signal });
  const { result = {}, error } = (await answer.json()) as ListAnswer;
  if (error) throw new Problem(answer.status, { detail: error.message });
  return result;
}

/** A tool as an MCP client gets it. */
interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly [member: string]: unknown;
}
