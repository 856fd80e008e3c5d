/** What is to be sent, in two views of the same: a form made of the schema, and JSON for what no form expresses. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { Field, valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { type ArgsState, faultIn, type JsonFault, textOf, withText, withValue } from "./args-state.ts";
import { SchemaForm } from "./form.ts";
import type { FormScope } from "./form-scope.ts";
import { Tabs } from "./tabs.ts";
import type { JsonObject } from "./values.ts";

interface ArgumentsEditorProps {
  readonly form: FormScope;
  readonly schema: unknown;
  readonly state: ArgsState;
  readonly setState: (state: ArgsState) => void;
}

export function ArgumentsEditor(props: ArgumentsEditorProps): VNode {
  const { form, schema, state, setState } = props;
  const tabs = [
    { name: "form", label: t("tools.try.form") },
    { name: "json", label: t("tools.try.json") },
  ] as const;
  return html`<${Tabs} label=${t("tools.try.views")} tabs=${tabs} current=${state.view} change=${(view: ArgsState["view"]) => setState({ ...state, view })}>
    ${
      state.view === "form"
        ? html`<${FormView} fault=${faultIn(state)} form=${form} schema=${schema} value=${state.value} change=${(value: JsonObject) => setState(withValue(state, value))} />`
        : html`<${JsonView} ...${props} />`
    }
  </${Tabs}>`;
}

/** What was typed and is no JSON is not lost by looking at the form; who changes the form writes over it. */
function FormView(props: {
  fault: JsonFault | undefined;
  form: FormScope;
  schema: unknown;
  value: JsonObject;
  change: (value: JsonObject) => void;
}): VNode {
  const { fault, ...form } = props;
  return html`${fault && html`<p class="wrong-text" role="status">${t("tools.try.jsonBehind")}</p>`}<${SchemaForm} ...${form} />`;
}

function JsonView({ form, state, setState }: ArgumentsEditorProps): VNode {
  const id = `${form.prefix}-json`;
  const fault = faultIn(state);
  const wrong = fault && faultText(fault);
  const text = textOf(state);
  return html`<${Field} id=${id} label=${t("tools.try.jsonLabel")} help=${t("tools.try.jsonHelp")} wrong=${wrong}>
    <textarea
      id=${id}
      rows=${Math.min(24, Math.max(8, text.split("\n").length + 1))}
      spellcheck=${false}
      aria-describedby=${wrong === undefined ? `${id}-help` : `${id}-help ${id}-wrong`}
      aria-invalid=${wrong !== undefined}
      value=${text}
      onInput=${(event: Event) => setState(withText(state, valueIn(event)))}
    ></textarea>
  </${Field}>`;
}

function faultText(fault: JsonFault): string {
  if (fault.code === "object") return t("tools.try.noObject");
  return t("tools.try.noJson", { line: fault.line, column: fault.column });
}
