/** Makes a key: for whom, and for what; and tells which key is the page's own. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Key, NewKey } from "../../../contract/key.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { rest } from "../../kit/api.ts";
import { Dialog, FormActions, useSubmit } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { Field, ProblemBox, valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";

interface Props {
  readonly close: () => void;
  readonly saved: (made: { readonly name: string; readonly key: string }) => void;
}

export function KeyForm({ close, saved }: Props): VNode {
  const [name, setName] = useState("");
  const [rights, setRights] = useState<Rights>("all");
  const [patterns, setPatterns] = useState("");
  const { problem, busy, submit } = useSubmit(
    () => rest.createKey({ body: newKey(name, rights, patterns) }),
    ({ key }) => {
      close();
      saved({ name: name.trim(), key });
    },
  );
  const isPossible = name.trim() !== "" && (rights !== "some" || patternsIn(patterns).length > 0);
  return html`<${Dialog} title=${t("agents.keys.new")} close=${close}>
    <form onSubmit=${submit}>
      ${problem && !problem.of("name") && html`<${ProblemBox} problem=${problem} />`}
      <${Field} id="key-name" label=${t("agents.keys.name")} help=${t("agents.keys.name.help")} wrong=${problem?.of("name")}>
        <input id="key-name" required maxlength="64" autocomplete="off" aria-invalid=${problem?.of("name") !== undefined} aria-describedby="key-name-help key-name-wrong" value=${name} onInput=${(event: Event) => setName(valueIn(event))} />
      </${Field}>
      <fieldset class="agents-rights">
        <legend>${t("agents.keys.rights")}</legend>
        ${RIGHTS.map((each) => html`<${Choice} key=${each} rights=${each} chosen=${rights} choose=${setRights} />`)}
      </fieldset>
      ${rights === "some" && html`<${Patterns} value=${patterns} set=${setPatterns} />`}
      <${FormActions} close=${close} busy=${busy} disabled=${!isPossible} action=${t("agents.keys.make")} />
    </form>
  </${Dialog}>`;
}

function Choice(props: { rights: Rights; chosen: Rights; choose: (rights: Rights) => void }): VNode {
  const { rights, chosen, choose } = props;
  const id = `key-rights-${rights}`;
  return html`<div class="agents-choice">
    <label class="check">
      <input type="radio" name="key-rights" value=${rights} checked=${rights === chosen} aria-describedby=${id} onChange=${() => choose(rights)} />
      ${t(`agents.keys.may.${rights}`)}
    </label>
    <p class="muted" id=${id}>${t(`agents.keys.means.${rights}`)}</p>
  </div>`;
}

function Patterns({ value, set }: { value: string; set: (text: string) => void }): VNode {
  return html`<${Field} id="key-patterns" label=${t("agents.keys.patterns")} help=${t("agents.keys.patterns.help")}>
    <textarea id="key-patterns" rows="3" spellcheck="false" placeholder="house__*" aria-describedby="key-patterns-help" value=${value} onInput=${(event: Event) => set(valueIn(event))}></textarea>
  </${Field}>`;
}

/** What a key may do, as people choose it: call any tool, call some, or administrate. */
const RIGHTS = ["all", "some", "admin"] as const;
type Rights = (typeof RIGHTS)[number];

/** Patterns stand on lines of their own, or between commas or spaces: a tool's name has none of these. */
export function patternsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

export function newKey(name: string, rights: Rights, patterns: string): NewKey {
  return {
    name: name.trim(),
    ...(rights === "some" && { allow: patternsIn(patterns) }),
    ...(rights === "admin" && { admin: true }),
  };
}

/** Whether this page itself came with it: it begins as the hint says, and its holder is who we are. */
export function isOwnKey(key: Key, me: PrincipalView | undefined, current: string | null): boolean {
  if (!me || me.kind === "local" || current === null) return false;
  if (!current.startsWith(key.hint.replace(/…$/, ""))) return false;
  return me.kind === "agent" ? key.agentId !== null : key.name === me.name;
}
