/** The page "agents": agents with their tools, and keys. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Empty, Progress } from "../../kit/parts.ts";
import { linkTo, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useArrival } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { AgentList } from "./agent-list.ts";
import { AgentView } from "./agent-view.ts";
import { KeyList } from "./key-list.ts";

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
