/** What is connected, at which address, with which key: what all snippets of the page are filled in with. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { MadeKey } from "../../../contract/key.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { rest } from "../../kit/api.ts";
import { ShownKey } from "../../kit/copy.ts";
import { Dialog, FormActions, useSubmit } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import { Field, ProblemBox, valueIn } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { focusOn } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { baseIn, type Target, targetIn, targetText } from "./place.ts";

export type KeyChoice = "none" | "placeholder" | "made";

export interface Chosen {
  readonly address: string;
  readonly target: Target;
  readonly key: KeyChoice;
  /** The key that was made here for this target. */
  readonly made: string | undefined;
}

interface Props {
  readonly chosen: Chosen;
  readonly self: PrincipalView;
  readonly client: string;
  readonly setAddress: (address: string) => void;
  readonly setTarget: (target: Target) => void;
  readonly setKey: (key: KeyChoice) => void;
  readonly setMade: (key: string) => void;
}

export function Chooser(props: Props): VNode {
  const { chosen, self, setAddress, setTarget } = props;
  const [shown, setShown] = useState<string>();
  const isWrong = baseIn(chosen.address) === undefined;
  return html`<section class="card" aria-labelledby="connect-what">
    <h2 id="connect-what">${t("connect.what")}</h2>
    <div class="columns connect-choices">
      <${TargetChoice} target=${chosen.target} self=${self} choose=${setTarget} />
      <${Field} id="connect-address" label=${t("connect.address")} help=${t("connect.address.help")} wrong=${isWrong ? t("connect.address.wrong") : undefined}>
        <input id="connect-address" type="url" inputmode="url" autocomplete="off" spellcheck="false" aria-invalid=${isWrong} aria-describedby="connect-address-help connect-address-wrong" value=${chosen.address} onInput=${(event: Event) => setAddress(valueIn(event))} />
      </${Field}>
      <${KeyField} ...${props} show=${setShown} />
    </div>
    ${shown !== undefined && shown === chosen.made && html`<${ShownKey} title=${t("connect.key.madeTitle")} text=${shown} done=${() => doneWith(setShown)} />`}
  </section>`;
}

function TargetChoice(props: { target: Target; self: PrincipalView; choose: (target: Target) => void }): VNode {
  const { target, self, choose } = props;
  const names = useStore(servers).map(({ name }) => name);
  const agents = useLoad((signal) => agentNames(self, signal), [self]).value ?? [];
  return html`<${Field} id="connect-target" label=${t("connect.target")} help=${t(`connect.target.${target.kind}`)}>
    <select id="connect-target" aria-describedby="connect-target-help" value=${targetText(target)} onChange=${(event: Event) => choose(targetIn(valueIn(event)))}>
      <option value="hub">${t("connect.hub")}</option>
      <${Group} label=${t("connect.agents")} kind="agent" names=${withChosen(agents, "agent", target)} />
      <${Group} label=${t("connect.servers")} kind="server" names=${withChosen(names, "server", target)} />
    </select>
  </${Field}>`;
}

function Group(props: { label: string; kind: Target["kind"]; names: readonly string[] }): VNode | null {
  const { label, kind, names } = props;
  if (names.length === 0) return null;
  return html`<optgroup label=${label}>
    ${names.map((name) => html`<option key=${name} value=${targetText({ kind, name })}>${name}</option>`)}
  </optgroup>`;
}

/** The list may still be on its way, or may not be for us: what is chosen is in it all the same. */
function withChosen(names: readonly string[], kind: Target["kind"], target: Target): readonly string[] {
  return target.kind !== kind || names.includes(target.name) ? names : [target.name, ...names];
}

/** Who may use some tools only is not told of agents, unless it is one. */
async function agentNames(self: PrincipalView, signal: AbortSignal): Promise<readonly string[]> {
  if (self.limited) return self.kind === "agent" ? [self.name] : [];
  const rows = await rest.listAgents({ query: { limit: 1000 } }, signal);
  return rows.map(({ name }) => name);
}

function KeyField({ chosen, self, client, setKey, setMade, show }: Props & { show: (key: string) => void }): VNode {
  const [making, setMaking] = useState(false);
  const choices: readonly KeyChoice[] = [
    "none",
    "placeholder",
    ...(chosen.made === undefined ? [] : ["made" as const]),
  ];
  const made = (key: string): void => {
    setMade(key);
    show(key);
  };
  return html`<${Field} id="connect-key" label=${t("connect.key")} help=${self.admin ? t("connect.key.help") : t("connect.key.adminOnly")}>
    <div class="row connect-key">
      <select id="connect-key" class="grow" aria-describedby="connect-key-help" value=${chosen.key} onChange=${(event: Event) => setKey(valueIn(event) as KeyChoice)}>
        ${choices.map((each) => html`<option key=${each} value=${each}>${t(`connect.key.${each}`)}</option>`)}
      </select>
      <button type="button" class="button" disabled=${!self.admin} aria-describedby="connect-key-help" onClick=${() => setMaking(true)}>${t("connect.key.make")}</button>
    </div>
    ${making && html`<${MakeKey} target=${chosen.target} client=${client} close=${() => setMaking(false)} made=${made} />`}
  </${Field}>`;
}

function doneWith(setShown: (key: undefined) => void): void {
  setShown(undefined);
  focusOn("connect-key");
}

interface MakeKeyProps {
  readonly target: Target;
  /** The client for which it is, as people know it. */
  readonly client: string;
  readonly close: () => void;
  readonly made: (key: string) => void;
}

/** Makes a key that may do just what is being connected. */
function MakeKey({ target, client, close, made }: MakeKeyProps): VNode {
  const [name, setName] = useState(target.kind === "hub" ? client : `${client}: ${target.name}`.slice(0, 64));
  const { problem, busy, submit } = useSubmit(
    () => make(target, name.trim()),
    ({ key }) => {
      close();
      made(key);
    },
  );
  return html`<${Dialog} title=${t("connect.key.make")} close=${close}>
    <form onSubmit=${submit}>
      <p>${t(`connect.key.for.${target.kind}`, { name: target.name })}</p>
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${target.kind !== "agent" && html`<${KeyName} value=${name} set=${setName} />`}
      <${FormActions} close=${close} busy=${busy} action=${t("connect.key.make")} />
    </form>
  </${Dialog}>`;
}

function KeyName({ value, set }: { value: string; set: (name: string) => void }): VNode {
  return html`<${Field} id="connect-key-name" label=${t("connect.key.name")} help=${t("connect.key.nameHelp")}>
    <input id="connect-key-name" required maxlength="64" autocomplete="off" aria-describedby="connect-key-name-help" value=${value} onInput=${(event: Event) => set(valueIn(event))} />
  </${Field}>`;
}

/** An agent has one key, its own; of others there may be many. */
function make({ kind, name: of }: Target, name: string): Promise<Pick<MadeKey, "key" | "hint">> {
  if (kind === "agent") return rest.createAgentKey({ id: of });
  return rest.createKey({ body: { name, ...(kind === "server" && { allow: [`${of}__*`] }) } });
}
