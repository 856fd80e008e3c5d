/** All keys that are good now: whose, for what, when used; to be made and revoked. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Key } from "../../../contract/key.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { rest, toProblem } from "../../kit/api.ts";
import { ShownKey } from "../../kit/copy.ts";
import { Confirm } from "../../kit/dialog.ts";
import { ago, dateTime, number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { currentKey } from "../../kit/key.ts";
import { Badge, Empty, ProblemBox, Progress, toast } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { type Loaded, useLoad } from "../../kit/use-load.ts";
import { focusOn } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { isOwnKey, KeyForm } from "./key-form.ts";

interface Made {
  readonly name: string;
  readonly key: string;
}

export function KeyList({ self }: { self: PrincipalView }): VNode {
  const keys = useLoad<readonly Key[]>(
    (signal) => (self.admin ? rest.listKeys({}, signal) : Promise.resolve([])),
    [self],
  );
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<Made>();
  const saved = (key: Made): void => {
    setMade(key);
    keys.reload();
  };
  return html`<section class="card stack" aria-labelledby="keys-title">
    <div class="row">
      <h2 id="keys-title" class="grow" tabindex="-1">${t("agents.keys.title")} ${self.admin && keys.value && html`<span class="muted agents-count">${number(keys.value.length)}</span>`}</h2>
      <button type="button" class="button primary" disabled=${!self.admin} aria-describedby=${self.admin ? undefined : "keys-why"} onClick=${() => setMaking(true)}>${t("agents.keys.new")}</button>
    </div>
    <p class="muted agents-lead">${t("agents.keys.lead")}</p>
    ${!self.admin && html`<p id="keys-why">${t("agents.keys.adminOnly")}</p>`}
    ${made && html`<${ShownKey} key=${made.key} title=${t("agents.keys.made", { name: made.name })} text=${made.key} done=${() => doneWith(setMade)} />`}
    ${self.admin && html`<${KeyRows} keys=${keys} self=${self} />`}
    ${making && html`<${KeyForm} close=${() => setMaking(false)} saved=${saved} />`}
  </section>`;
}

function doneWith(setMade: (made: undefined) => void): void {
  setMade(undefined);
  focusOn("keys-title");
}

function KeyRows({ keys, self }: { keys: Loaded<readonly Key[]>; self: PrincipalView }): VNode {
  const { value, problem, loading, reload } = keys;
  const [asked, setAsked] = useState<Key>();
  return html`${problem && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
    ${!value && loading && html`<${Progress} label=${t("nav.loading")} />`}
    ${value?.length === 0 && html`<${Empty} title=${t("agents.keys.none")}><p>${t("agents.keys.next")}</p></${Empty}>`}
    ${value && value.length > 0 && html`<${KeyTable} keys=${value} self=${self} revoke=${setAsked} />`}
    ${asked && html`<${RevokeKey} asked=${asked} isOwn=${isOwnKey(asked, self, currentKey())} close=${() => setAsked(undefined)} gone=${reload} />`}`;
}

function KeyTable(props: { keys: readonly Key[]; self: PrincipalView; revoke: (key: Key) => void }): VNode {
  const { keys, self, revoke } = props;
  return html`<div class="scroll-x" tabindex="0" role="region" aria-label=${t("agents.keys.list")}>
    <table class="agents-keys">
      <thead>
        <tr>
          <th scope="col">${t("agents.keys.name")}</th>
          <th scope="col">${t("agents.keys.hint")}</th>
          <th scope="col">${t("agents.keys.rights")}</th>
          <th scope="col">${t("agents.keys.created")}</th>
          <th scope="col">${t("agents.keys.used")}</th>
          <th scope="col"><span class="hidden-text">${t("agents.keys.actions")}</span></th>
        </tr>
      </thead>
      <tbody>
        ${keys.map((key) => html`<${KeyRow} key=${key.id} held=${key} isOwn=${isOwnKey(key, self, currentKey())} revoke=${revoke} />`)}
      </tbody>
    </table>
  </div>`;
}

function KeyRow({ held, isOwn, revoke }: { held: Key; isOwn: boolean; revoke: (key: Key) => void }): VNode {
  return html`<tr>
    <th scope="row">${held.name} ${isOwn && html`<${Badge} tone="busy">${t("agents.keys.thisPage")}</${Badge}>`}</th>
    <td><code>${held.hint}</code></td>
    <td><${RightsOf} held=${held} /></td>
    <td>${dateTime(held.createdUtc)}</td>
    <td>${held.lastUsedUtc ? ago(held.lastUsedUtc) : t("agents.keys.never")}</td>
    <td><button type="button" class="button small danger" aria-label=${t("agents.keys.revokeOf", { name: held.name })} onClick=${() => revoke(held)}>${t("agents.keys.revoke")}</button></td>
  </tr>`;
}

function RightsOf({ held }: { held: Key }): VNode {
  if (held.agentId !== null) return html`<a href=${linkTo("agents", held.agentId)}>${t("agents.keys.agent")}</a>`;
  if (held.admin) return html`<${Badge} tone="warn">${t("agents.keys.admin")}</${Badge}>`;
  if (held.allow === null) return html`<span>${t("agents.keys.all")}</span>`;
  return html`<span class="agents-patterns">${held.allow.map((pattern) => html`<code key=${pattern}>${pattern}</code> `)}</span>`;
}

function RevokeKey(props: { asked: Key; isOwn: boolean; close: () => void; gone: () => void }): VNode {
  const { asked, isOwn, close, gone } = props;
  const revoke = async (): Promise<void> => {
    close();
    try {
      await rest.revokeKey({ id: asked.id });
    } catch (cause) {
      return toast(toProblem(cause).message, "bad");
    }
    toast(t("agents.keys.revoked", { name: asked.name }));
    gone();
    focusOn("keys-title");
  };
  return html`<${Confirm}
    title=${t("agents.keys.revoke.title", { name: asked.name })}
    text=${isOwn ? t("agents.keys.own") : t("agents.keys.revoke.text")}
    action=${t("agents.keys.revoke.action")}
    confirm=${revoke}
    close=${close}
  />`;
}
