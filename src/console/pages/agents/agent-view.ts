/** One agent: what it is, which tools it has, what it sees, and its key. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Agent } from "../../../contract/agent.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { rest, toProblem } from "../../kit/api.ts";
import { Confirm } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { Badge, Empty, ProblemBox, Progress, toast } from "../../kit/parts.ts";
import { go, linkTo } from "../../kit/router.ts";
import { useLoad } from "../../kit/use-load.ts";
import { focusOn, useTitlePart } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { AgentForm } from "./agent-form.ts";
import { AgentKey } from "./agent-key.ts";
import { AgentSees } from "./agent-sees.ts";
import { AgentTools } from "./agent-tools.ts";
import { useLinks } from "./use-links.ts";

const NOT_FOUND = 404;

export function AgentView({ name, self }: { name: string; self: PrincipalView }): VNode {
  const { value: agent, problem, reload } = useLoad<Agent>((signal) => rest.getAgent({ id: name }, signal), [name]);
  const isMissing = problem?.status === NOT_FOUND;
  useTitlePart(name);
  return html`<div class="stack">
    ${!self.limited && html`<p class="agents-back"><a href=${linkTo("agents")}><span aria-hidden="true">←</span> ${t("agents.back")}</a></p>`}
    ${isMissing && html`<${Empty} title=${problem.message}><p>${t("agents.missing")}</p></${Empty}>`}
    ${problem && !isMissing && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
    ${!agent && !problem && html`<${Progress} label=${t("nav.loading")} />`}
    ${agent && html`<${AgentHead} agent=${agent} self=${self} reload=${reload} />`}
    ${agent && html`<${AgentParts} key=${agent.id} agent=${agent} self=${self} />`}
  </div>`;
}

function AgentParts({ agent, self }: { agent: Agent; self: PrincipalView }): VNode {
  const links = useLinks(agent.id);
  return html`<${AgentTools} links=${links} may=${self.admin} />
    <${AgentSees} agent=${agent} version=${links.version} />
    <${AgentKey} agent=${agent} self=${self} />`;
}

function AgentHead({ agent, self, reload }: { agent: Agent; self: PrincipalView; reload: () => void }): VNode {
  const [open, setOpen] = useState<"change" | "remove">();
  const close = (): void => setOpen(undefined);
  const saved = (changed: Agent): void => {
    if (changed.name === agent.name) reload();
    else go("agents", changed.name);
  };
  return html`<section class="card stack" aria-labelledby="agent-title">
    <div class="row">
      <h2 id="agent-title">${agent.name}</h2>
      <${Badge} tone="quiet">${t(`agents.autonomy.${agent.autonomy}`)}</${Badge}>
      <span class="grow"></span>
      ${
        self.admin &&
        html`<span class="row">
          <button type="button" class="button" onClick=${() => setOpen("change")}>${t("agents.change")}</button>
          <button type="button" class="button danger" onClick=${() => setOpen("remove")}>${t("agents.remove")}</button>
        </span>`
      }
    </div>
    <p class=${agent.description ? "" : "muted"}>${agent.description || t("agents.noDescription")}</p>
    ${agent.systemPrompt && html`<details><summary>${t("agents.prompt")}</summary><pre class="agents-prompt">${agent.systemPrompt}</pre></details>`}
    ${open === "change" && html`<${AgentForm} agent=${agent} close=${close} saved=${saved} />`}
    ${open === "remove" && html`<${RemoveAgent} agent=${agent} close=${close} />`}
  </section>`;
}

function RemoveAgent({ agent, close }: { agent: Agent; close: () => void }): VNode {
  const remove = async (): Promise<void> => {
    close();
    try {
      await rest.deleteAgent({ id: agent.id });
    } catch (cause) {
      return toast(toProblem(cause).message, "bad");
    }
    toast(t("agents.removed", { name: agent.name }));
    go("agents");
    focusOn("main");
  };
  return html`<${Confirm}
    title=${t("agents.remove.title", { name: agent.name })}
    text=${t("agents.remove.text")}
    action=${t("agents.remove.action")}
    confirm=${remove}
    close=${close}
  />`;
}
