/** Single values: numbers, yes or no, a choice, what is fixed, null; and as JSON what no other field can express. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { exactDigits, readJson, readNumber } from "../../kit/exact-json.ts";
import { html } from "../../kit/html.ts";
import { valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { controlAttributes, Frame } from "./form-frame.ts";
import { placeholderOf } from "./form-hints.ts";
import { type ControlProps, focusLater } from "./form-scope.ts";
import { labelOf } from "./schema-union.ts";
import { startWhenSet } from "./start.ts";
import { Draft, isEqual } from "./values.ts";

/** As text, since browsers' own fields for numbers hide what they do not like. */
export function NumberControl(props: ControlProps<"number">): VNode {
  const { shape, value, change } = props;
  const typed = useRef({ text: "", value: undefined as unknown });
  const shown = typed.current.value === value ? typed.current.text : numberText(value);
  const input = (event: Event): void => {
    const text = valueIn(event);
    const next = text.trim() === "" ? undefined : (readNumber(text) ?? new Draft(text));
    typed.current = { text, value: next };
    change(next);
  };
  return html`<${Frame} ...${props}>
    <input
      ...${controlAttributes(props)}
      type="text"
      inputmode=${shape.whole && (shape.least ?? -1) >= 0 ? "numeric" : "text"}
      autocomplete="off"
      placeholder=${placeholderOf(shape)}
      value=${shown}
      onInput=${input}
    />
  </${Frame}>`;
}

function numberText(value: unknown): string {
  if (value instanceof Draft) return value.text;
  return typeof value === "number" ? String(value) : (exactDigits(value) ?? "");
}

export function BooleanControl(props: ControlProps<"boolean">): VNode {
  const choices = [true, false].map((value) => ({ value, label: String(value) }));
  return html`<${Frame} ...${props}><${Select} ...${props} choices=${choices} /></${Frame}>`;
}

export function ChoiceControl(props: ControlProps<"choice">): VNode {
  return html`<${Frame} ...${props}><${Select} ...${props} choices=${props.shape.choices} /></${Frame}>`;
}

type Choices = ControlProps<"choice">["shape"]["choices"];

function Select(props: ControlProps & { choices: Choices }): VNode {
  const { value, change, choices, required } = props;
  const chosen = choices.findIndex((choice) => isEqual(choice.value, value));
  const pick = (event: Event): void => change(choices[Number(valueIn(event))]?.value);
  return html`<select ...${controlAttributes(props)} value=${String(chosen)} onChange=${pick}>
    <option value="-1">${t(required ? "tools.arg.choose" : "tools.arg.leftOut")}</option>
    ${choices.map(({ label }, at) => html`<option key=${at} value=${String(at)}>${label}</option>`)}
  </select>`;
}

/** A fixed value: a box to tick gives it or leaves it out. */
export function ConstControl(props: ControlProps<"const">): VNode {
  const { shape, value, change, required } = props;
  const isGiven = value !== undefined;
  return html`<${Frame} ...${props}>
    <label class="check">
      <input
        ...${controlAttributes(props)}
        type="checkbox"
        checked=${isGiven}
        disabled=${required && isGiven}
        onChange=${() => change(isGiven ? undefined : shape.value)}
      />
      <code>${labelOf(shape.value)}</code>
    </label>
  </${Frame}>`;
}

export function NullControl(props: ControlProps): VNode {
  const { form, schema, shape, value, change, required } = props;
  const isOnlyNull = shape.kind === "null";
  const give = (): void => {
    change(startWhenSet(form.shapes, schema));
    focusLater(props.id);
  };
  if (isOnlyNull)
    return html`<${ConstControl} ...${props} shape=${{ ...shape, kind: "const", value: null }} required=${required} value=${value} />`;
  return html`<${Frame} ...${props}>
    <div class="row">
      <code>null</code>
      <button type="button" id=${props.id} class="button small" onClick=${give}>${t("tools.arg.giveValue")}</button>
    </div>
  </${Frame}>`;
}

export function NeverControl(props: ControlProps): VNode {
  return html`<${Frame} ...${props}><p class="help" id=${props.id}>${t("tools.arg.never")}</p></${Frame}>`;
}

const MOST_ROWS = 12;

/** A value as JSON. What is typed stays as it is typed for as long as it is the value. */
export function JsonControl(props: ControlProps): VNode {
  const { shape, value, change } = props;
  const typed = useRef({ text: "", value: undefined as unknown });
  const shown = typed.current.value === value ? typed.current.text : jsonText(value);
  const input = (event: Event): void => {
    const text = valueIn(event);
    const next = jsonIn(text);
    typed.current = { text, value: next };
    change(next);
  };
  return html`<${Frame} ...${props}>
    <textarea
      ...${controlAttributes(props)}
      spellcheck=${false}
      rows=${Math.min(MOST_ROWS, Math.max(2, shown.split("\n").length))}
      placeholder=${placeholderOf(shape) ?? "{ }"}
      value=${shown}
      onInput=${input}
    ></textarea>
  </${Frame}>`;
}

function jsonIn(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return readJson(text);
  } catch {
    return new Draft(text);
  }
}

function jsonText(value: unknown): string {
  if (value instanceof Draft) return value.text;
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}
