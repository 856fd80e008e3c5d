/** Controls of the forms: a label, the control, what helps and what was wrong, tied together for screen readers. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { Field } from "../../kit/parts.ts";

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
  const { id, label, value, change, help, wrong, type = "text", required, placeholder, offers = [] } = props;
  const hasOffers = offers.length > 1;
  return html`<${Field} id=${id} label=${label} help=${help} wrong=${wrong}>
    <input
      id=${id}
      type=${type}
      value=${value}
      required=${required}
      placeholder=${placeholder}
      autocomplete="off"
      autocapitalize="off"
      spellcheck=${false}
      list=${hasOffers ? `${id}-offers` : undefined}
      aria-invalid=${wrong !== undefined}
      aria-describedby=${describedBy(id, help, wrong)}
      onInput=${(event: Event) => change(valueIn(event))}
    />
    ${hasOffers && html`<datalist id=${`${id}-offers`}>${offers.map((offer) => html`<option key=${offer} value=${offer} />`)}</datalist>`}
  </${Field}>`;
}

interface TextAreaProps extends Omit<TextFieldProps, "type" | "offers"> {
  readonly rows: number;
}

export function TextArea({ id, label, value, change, help, wrong, required, placeholder, rows }: TextAreaProps): VNode {
  return html`<${Field} id=${id} label=${label} help=${help} wrong=${wrong}>
    <textarea
      id=${id}
      rows=${rows}
      value=${value}
      required=${required}
      placeholder=${placeholder}
      autocomplete="off"
      autocapitalize="off"
      spellcheck=${false}
      aria-invalid=${wrong !== undefined}
      aria-describedby=${describedBy(id, help, wrong)}
      onInput=${(event: Event) => change(valueIn(event))}
    ></textarea>
  </${Field}>`;
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

export function valueIn(event: Event): string {
  return (event.target as HTMLInputElement).value;
}

function describedBy(id: string, help: string | undefined, wrong: string | undefined): string | undefined {
  return [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
}
