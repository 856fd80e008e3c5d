/** Controls of the forms: a label, the control, what helps and what was wrong, tied together for screen readers. */
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { Field, valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import type { Pair } from "./form-model.ts";

interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly help?: string | undefined;
  readonly wrong?: string | undefined;
  readonly type?: "text" | "url" | "password" | undefined;
  readonly required?: boolean | undefined;
  readonly placeholder?: string | undefined;
  /** Values to choose from, beside any other. */
  readonly offers?: readonly string[] | undefined;
}

export function TextField(props: TextFieldProps): VNode {
  const { id, label, help, wrong, type = "text", offers = [] } = props;
  const hasOffers = offers.length > 1;
  return html`<${Field} id=${id} label=${label} help=${help} wrong=${wrong}>
    <input type=${type} ...${attributesOf(props)} list=${hasOffers ? `${id}-offers` : undefined} />
    ${hasOffers && html`<datalist id=${`${id}-offers`}>${offers.map((offer) => html`<option key=${offer} value=${offer} />`)}</datalist>`}
  </${Field}>`;
}

export function TextArea(props: Omit<TextFieldProps, "type" | "offers"> & { readonly rows: number }): VNode {
  const { id, label, help, wrong, rows } = props;
  return html`<${Field} id=${id} label=${label} help=${help} wrong=${wrong}>
    <textarea rows=${rows} ...${attributesOf(props)}></textarea>
  </${Field}>`;
}

/** What a line and a field of several lines have in common. */
function attributesOf({ id, value, change, help, wrong, required, placeholder }: TextFieldProps): object {
  return {
    id,
    value,
    required,
    placeholder,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    "aria-invalid": wrong !== undefined,
    "aria-describedby": [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined,
    onInput: (event: Event) => change(valueIn(event)),
  };
}

interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** One of a few, all of them to be seen. */
export function Choices<Value extends string>(props: {
  legend: string;
  name: string;
  value: Value;
  options: readonly Option<Value>[];
  change: (value: Value) => void;
}): VNode {
  const { legend, name, value, options, change } = props;
  return html`<fieldset class="servers-choices">
    <legend>${legend}</legend>
    ${options.map(
      (option) => html`<label key=${option.value} class="check">
        <input
          type="radio"
          name=${name}
          checked=${option.value === value}
          onChange=${() => change(option.value)}
        />
        <span>${option.label}</span>
      </label>`,
    )}
  </fieldset>`;
}

interface PairsProps {
  readonly legend: string;
  readonly help: string;
  readonly add: string;
  readonly pairs: readonly Pair[];
  readonly change: (pairs: readonly Pair[]) => void;
  readonly wrong?: string | undefined;
}

/** Names and values, any number of them: headers, variables. Values are secrets until somebody wants to see them. */
export function Pairs({ legend, help, add, pairs, change, wrong }: PairsProps): VNode {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const set = (place: number, part: Partial<Pair>): void =>
    change(pairs.map((pair, index) => (index === place ? { ...pair, ...part } : pair)));
  const remove = (place: number): void => {
    change(pairs.filter((_, index) => index !== place));
    adder.current?.focus();
  };
  return html`<fieldset class="servers-pairs" aria-describedby=${`${id}-help`}>
    <legend>${legend}</legend>
    <p class="muted servers-small" id=${`${id}-help`}>${help}</p>
    ${pairs.map(
      ({ name, value }, place) => html`<div key=${place} class="servers-pair">
        <input
          aria-label=${t("servers.pair.name", { number: place + 1 })}
          placeholder=${t("servers.pair.namePlaceholder")}
          value=${name}
          autocomplete="off"
          spellcheck=${false}
          ref=${focusNew(name, value)}
          onInput=${(event: Event) => set(place, { name: valueIn(event) })}
        />
        <input
          type=${isShown ? "text" : "password"}
          aria-label=${t("servers.pair.value", { number: place + 1 })}
          placeholder=${t("servers.pair.valuePlaceholder")}
          value=${value}
          autocomplete="off"
          spellcheck=${false}
          onInput=${(event: Event) => set(place, { value: valueIn(event) })}
        />
        <button type="button" class="button quiet" aria-label=${t("servers.pair.remove", { number: place + 1 })} onClick=${() => remove(place)}>✕</button>
      </div>`,
    )}
    ${wrong && html`<p class="servers-wrong">${wrong}</p>`}
    <div class="row">
      <button ref=${adder} type="button" class="button small" onClick=${() => change([...pairs, { name: "", value: "" }])}>${add}</button>
      ${pairs.length > 0 && html`<label class="check servers-small"><input type="checkbox" checked=${isShown} onChange=${() => setIsShown(!isShown)} /> ${t("servers.pair.show")}</label>`}
    </div>
  </fieldset>`;
}

/** One that has just been added is the one that somebody wants to fill in. */
function focusNew(name: string, value: string): ((element: HTMLInputElement | null) => void) | undefined {
  if (name !== "" || value !== "") return undefined;
  return (element) => {
    if (!element || element.dataset["seen"]) return;
    element.dataset["seen"] = "yes";
    element.focus();
  };
}
