/** An agent's own key: with it, it is this agent wherever it comes from. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Agent } from "../../../contract/agent.ts";
import type { Key } from "../../../contract/key.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { rest, toProblem } from "../../kit/api.ts";
import { ShownKey } from "../../kit/copy.ts";
import { Confirm } from "../../kit/dialog.ts";
import { ago, dateTime } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { currentKey } from "../../kit/key.ts";
import { ProblemBox, toast, WorkButton } from "../../kit/parts.ts";
import { useLoad } from "../../kit/use-load.ts";
import { focusOn } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { isOwnKey } from "./key-form.ts";

export function AgentKey({ agent, self }: { agent: Agent; self: PrincipalView }): VNode {
  const keys = useLoad<Key | undefined>((signal) => keyOf(agent.id, self.admin, signal), [agent.id, self.admin]);
  const [made, setMade] = useState<string>();
  const make = async (): Promise<void> => {
    const { key } = await rest.createAgentKey({ id: agent.id });
    setMade(key);
    keys.reload();
  };
  return html`<section class="card stack" aria-labelledby="agent-key-title">
    <h2 id="agent-key-title" tabindex="-1">${t("agents.key.title")}</h2>
    <p class="muted agents-lead">${t("agents.key.lead")}</p>
    ${keys.problem && html`<${ProblemBox} problem=${keys.problem} retry=${keys.reload} />`}
    ${self.admin && keys.value && html`<${Existing} held=${keys.value} />`}
    ${self.admin && !keys.value && !keys.loading && html`<p>${t("agents.key.none")}</p>`}
    ${!self.admin && html`<p id="agent-key-why">${t("agents.key.adminOnly")}</p>`}
    <div class="row"><${KeyButtons} agent=${agent} self=${self} held=${keys.value} make=${make} gone=${keys.reload} /></div>
    ${made && html`<${ShownKey} title=${t("agents.key.made", { name: agent.name })} text=${made} done=${() => doneWith(setMade)} />`}
  </section>`;
}

function Existing({ held }: { held: Key }): VNode {
  const used = held.lastUsedUtc ? t("agents.key.used", { when: ago(held.lastUsedUtc) }) : t("agents.key.unused");
  return html`<p><code>${held.hint}</code> · ${t("agents.key.since", { when: dateTime(held.createdUtc) })} · ${used}</p>`;
}

interface ButtonsProps {
  readonly agent: Agent;
  readonly self: PrincipalView;
  readonly held: Key | undefined;
  readonly make: () => Promise<void>;
  readonly gone: () => void;
}

/** The first key is made at once; whatever ends one is asked about before. */
function KeyButtons({ agent, self, held, make, gone }: ButtonsProps): VNode {
  const [asked, setAsked] = useState<"renew" | "revoke">();
  const close = (): void => setAsked(undefined);
  const isOwn = held !== undefined && isOwnKey(held, self, currentKey());
  const act = async (): Promise<void> => {
    close();
    const work = asked === "renew" ? make() : revoke(agent, gone);
    await work.catch((cause) => toast(toProblem(cause).message, "bad"));
  };
  if (!held)
    return html`<${WorkButton} class="button primary" disabled=${!self.admin} work=${make}>${t("agents.key.make")}</${WorkButton}>`;
  return html`<button type="button" class="button" onClick=${() => setAsked("renew")}>${t("agents.key.renew")}</button>
    <button type="button" class="button danger" onClick=${() => setAsked("revoke")}>${t("agents.key.revoke")}</button>
    ${
      asked &&
      html`<${Confirm}
        title=${t(`agents.key.${asked}.title`, { name: agent.name })}
        text=${isOwn ? t("agents.keys.own") : t(`agents.key.${asked}.text`)}
        action=${t(`agents.key.${asked}`)}
        confirm=${act}
        close=${close}
      />`
    }`;
}

async function revoke(agent: Agent, gone: () => void): Promise<void> {
  await rest.revokeAgentKey({ id: agent.id });
  toast(t("agents.key.revoked", { name: agent.name }));
  gone();
  focusOn("agent-key-title");
}

function doneWith(setMade: (key: undefined) => void): void {
  setMade(undefined);
  focusOn("agent-key-title");
}

/** Only administrators are told of keys. */
async function keyOf(agentId: string, admin: boolean, signal: AbortSignal): Promise<Key | undefined> {
  if (!admin) return undefined;
  return (await rest.listKeys({}, signal)).find((key) => key.agentId === agentId);
}
