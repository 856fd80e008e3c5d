/** An object: a field for each member, and those that the schema has no name for. */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { Group, nameOf, SetButton } from "./form-frame.ts";
import { FEW_MEMBERS, isFree, membersShown, otherMembers, schemaOfOther } from "./form-members.ts";
import { type ControlProps, fieldId, focusLater } from "./form-scope.ts";
import { startWhenSet } from "./start.ts";
import { memberOf, withMember, withRenamed } from "./values.ts";

type Props = ControlProps<"object">;

export function ObjectControl(props: Props): VNode {
  return html`<${Group} ...${props}>
    ${props.value === undefined ? html`<${SetButton} ...${props} />` : html`<div class="arg-inside"><${Members} ...${props} /></div>`}
  </${Group}>`;
}

/** Also what a whole form is. */
export function Members(props: Props): VNode {
  const { form, shape, value, path, change } = props;
  const [find, setFind] = useState("");
  const [limit, setLimit] = useState(FEW_MEMBERS);
  const isMany = shape.members.length > FEW_MEMBERS;
  const { members, more } = membersShown(shape.members, find, limit);
  return html`
    ${isMany && html`<${Finder} find=${find} change=${setFind} count=${shape.members.length} />`}
    ${members.map(
      ({ name, schema, required }) => html`<${form.Field}
        key=${name}
        form=${form}
        schema=${schema}
        path=${[...path, name]}
        name=${name}
        required=${required}
        value=${memberOf(value, name)}
        change=${(member: unknown) => change(withMember(value, name, member))}
      />`,
    )}
    ${more > 0 && html`<p><button type="button" class="button" onClick=${() => setLimit(limit + FEW_MEMBERS)}>${t("tools.arg.more", { count: number(more) })}</button></p>`}
    <${Others} ...${props} />
  `;
}

function Finder({ find, change, count }: { find: string; change: (find: string) => void; count: number }): VNode {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${t("tools.arg.find", { count: number(count) })}</label>
    <input id=${id} type="search" value=${find} onKeyDown=${notEnter} onInput=${(event: Event) => change(valueIn(event))} />
  </div>`;
}

/** Keeps the Enter key from submitting the form, which would call the tool. */
function notEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  (event.target as HTMLElement).dispatchEvent(new Event("change"));
}

function Others(props: Props): VNode {
  const { form, shape, value, path, change } = props;
  const others = otherMembers(shape, value);
  const remove = (name: string): void => {
    change(withMember(value, name, undefined));
    focusLater(addId(props));
  };
  return html`
    ${others.map(([name, member], at) => {
      const button = html`<button
        type="button"
        class="button quiet small"
        aria-label=${t("tools.arg.removeNamed", { name })}
        onClick=${() => remove(name)}
      >${t("tools.arg.remove")}</button>`;
      return html`<div key=${at} class="arg-other">
        <${OtherName} name=${name} rename=${(renamed: string) => isFree(renamed, shape, value) && change(withRenamed((value ?? {}) as object as Record<string, unknown>, name, renamed))} />
        <${form.Field}
          form=${form}
          schema=${schemaOfOther(shape, name)}
          path=${[...path, name]}
          name=${name}
          required=${true}
          value=${member}
          change=${(next: unknown) => change(withMember(value, name, next ?? member))}
          actions=${button}
        />
      </div>`;
    })}
    ${shape.isOpen && html`<${AddOther} ...${props} />`}
  `;
}

/** Taken when it is finished, so that no name is lost on the way to another. */
function OtherName({ name, rename }: { name: string; rename: (renamed: string) => unknown }): VNode {
  const finish = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (input.value !== name && !rename(input.value)) input.value = name;
  };
  return html`<input class="code" aria-label=${t("tools.arg.nameOf", { name })} value=${name} spellcheck=${false} onChange=${finish} onKeyDown=${notEnter} />`;
}

function addId({ form, path }: Props): string {
  return `${fieldId(form, path)}-add`;
}

function AddOther(props: Props): VNode {
  const { form, shape, value, change } = props;
  const id = addId(props);
  const [name, setName] = useState("");
  const add = (): void => {
    if (!isFree(name, shape, value)) return;
    change(withMember(value, name, startWhenSet(form.shapes, schemaOfOther(shape, name))));
    setName("");
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  return html`<div class="field">
    <label for=${id}>${props.path.length === 0 ? t("tools.arg.newMember") : t("tools.arg.newMemberOf", { name: nameOf(props) })}</label>
    <div class="arg-add">
      <input id=${id} class="code" autocomplete="off" spellcheck=${false} value=${name} onInput=${(event: Event) => setName(valueIn(event))} onKeyDown=${press} />
      <button type="button" class="button" disabled=${!isFree(name, shape, value)} onClick=${add}>${t("tools.arg.add")}</button>
    </div>
    ${name !== "" && !isFree(name, shape, value) && html`<p class="help" role="status">${t("tools.arg.taken", { name })}</p>`}
  </div>`;
}
