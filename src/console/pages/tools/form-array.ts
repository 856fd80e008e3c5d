/** A list: items that come, go and change places; or boxes to tick, where every item is one of a few. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { Group, nameOf, SetButton } from "./form-frame.ts";
import type { ControlProps } from "./form-scope.ts";
import type { Choice } from "./shape.ts";
import { tickable } from "./shapes.ts";
import { startOfItem } from "./start.ts";
import { Draft, isEqual, moved, withItem } from "./values.ts";

type Props = ControlProps<"array">;

const FEW_ITEMS = 50;

export function ArrayControl(props: Props): VNode {
  const { value } = props;
  const choices = choicesFor(props);
  return html`<${Group} ...${props}>
    ${choices ? html`<${Ticks} ...${props} choices=${choices} />` : value === undefined ? html`<${SetButton} ...${props} />` : html`<${Items} ...${props} />`}
  </${Group}>`;
}

/** Undefined where boxes could not show what the value is. */
function choicesFor({ form, shape, value }: Props): readonly Choice[] | undefined {
  if (shape.first.length > 0 || shape.items === undefined) return undefined;
  const choices = tickable(form.shapes, shape.items)?.choices;
  const items = Array.isArray(value) ? value : [];
  const isShown =
    choices &&
    items.every((item, at) => {
      return (
        choices.some((choice) => isEqual(choice.value, item)) && items.findIndex((other) => isEqual(other, item)) === at
      );
    });
  return isShown ? choices : undefined;
}

function Ticks({ value, change, choices, id }: Props & { choices: readonly Choice[] }): VNode {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const has = (choice: Choice): boolean => items.some((item) => isEqual(item, choice.value));
  const tick = (choice: Choice): void => {
    const isOn = (other: Choice): boolean => (other === choice ? !has(other) : has(other));
    change(choices.filter(isOn).map((each) => each.value));
  };
  return html`<div class="arg-ticks">
    ${choices.map(
      (choice, at) => html`<label key=${at} class="check">
        <input id=${`${id}-${at}`} type="checkbox" checked=${has(choice)} onChange=${() => tick(choice)} /> ${choice.label}
      </label>`,
    )}
  </div>`;
}

/** After an item moved or went, the keyboard stays with it, or with what is in its place. */
function Items(props: Props): VNode {
  const { form, shape, value, change, id } = props;
  const items = value as readonly unknown[];
  const [limit, setLimit] = useState(FEW_ITEMS);
  const focus = useFocusOn();
  const schemaAt = (at: number): unknown => shape.first[at] ?? shape.items ?? true;
  const move = (from: number, to: number): void => {
    focus(`${id}-${to}-${to < from ? "up" : "down"}`, `${id}-${to}-${to < from ? "down" : "up"}`);
    change(moved(items, from, to));
  };
  const remove = (at: number): void => {
    focus(`${id}-${Math.min(at, items.length - 2)}-remove`, `${id}-add`);
    change(withItem(items, at, undefined));
  };
  const add = (): void => {
    setLimit(Math.max(limit, items.length + 1));
    change([...items, startOfItem(form.shapes, schemaAt(items.length))]);
  };
  const mayGrow = shape.items !== undefined || items.length < shape.first.length;
  return html`
    <ol class="arg-items">
      ${items.slice(0, limit).map(
        (item, at) => html`<li key=${at}>
          <${Item} ...${props} at=${at} count=${items.length} item=${item} schema=${schemaAt(at)} move=${move} remove=${remove} set=${(next: unknown) => change(withItem(items, at, next ?? new Draft("")))} />
        </li>`,
      )}
    </ol>
    ${items.length > limit && html`<p><button type="button" class="button" onClick=${() => setLimit(limit + FEW_ITEMS)}>${t("tools.arg.moreItems", { count: number(items.length - limit) })}</button></p>`}
    ${items.length === 0 && html`<p class="muted">${t("tools.arg.noItems")}</p>`}
    ${mayGrow && html`<p><button type="button" id=${`${id}-add`} class="button small" aria-label=${t("tools.arg.addItemTo", { name: nameOf(props) })} onClick=${add}>${t("tools.arg.addItem")}</button></p>`}
  `;
}

interface ItemProps extends Props {
  readonly at: number;
  readonly count: number;
  readonly item: unknown;
  readonly move: (from: number, to: number) => void;
  readonly remove: (at: number) => void;
  readonly set: (item: unknown) => void;
}

function Item(props: ItemProps): VNode {
  const { form, path, at, count, item, schema, set } = props;
  const place = `${nameOf(props)} ${at + 1}`;
  const button = (what: "up" | "down" | "remove", sign: string, work: () => void, disabled = false) => html`<button
    type="button"
    id=${`${props.id}-${at}-${what}`}
    class="button quiet small"
    aria-label=${t(`tools.arg.${what}Named`, { name: place })}
    disabled=${disabled}
    onClick=${work}
  ><span aria-hidden="true">${sign}</span></button>`;
  // A place in a tuple means something: only the last can go, and none moves.
  const isFixed = at < props.shape.first.length;
  const mayMove = !isFixed && count > props.shape.first.length + 1;
  const actions = html`
    ${mayMove && button("up", "↑", () => props.move(at, at - 1), at === props.shape.first.length)}
    ${mayMove && button("down", "↓", () => props.move(at, at + 1), at === count - 1)}
    ${(!isFixed || at === count - 1) && button("remove", "✕", () => props.remove(at))}
  `;
  return html`<${form.Field} form=${form} schema=${schema} path=${[...path, at]} name=${place} required=${true} value=${item} change=${set} actions=${actions} />`;
}

/** The first of these that can be focused, once it is drawn. */
function useFocusOn(): (...ids: readonly string[]) => void {
  const wanted = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const found = wanted.current.map((id) => document.getElementById(id) as HTMLButtonElement | null);
    wanted.current = [];
    found.find((element) => element && !element.disabled)?.focus();
  });
  return (...ids) => {
    wanted.current = ids;
  };
}
