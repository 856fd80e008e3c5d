/** What is to be sent, in two views of the same: a form made of the schema, and JSON for what no form expresses. */
import type { VNode } from "preact";
import { readJson } from "../../kit/exact-json.ts";
import { html } from "../../kit/html.ts";
import { faultPlace, type Place, START } from "../../kit/json-fault.ts";
import { Field, valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { SchemaForm } from "./form.ts";
import type { FormScope } from "./form-scope.ts";
import { Tabs } from "./tabs.ts";
import { isObject, type JsonObject } from "./values.ts";

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

export interface ArgsState {
  readonly view: "form" | "json";
  readonly value: JsonObject;
  /** As it was typed, while that is not how we would write the value. */
  readonly text?: string | undefined;
}

type JsonFault = { readonly code: "object" } | ({ readonly code: "json" } & Place);

/** What is to be sent: filled in by a form, or written as JSON. Both are one value, which is whatever was touched last. */
export function withValue(state: ArgsState, value: JsonObject): ArgsState {
  return { view: state.view, value };
}

/** The value stays the last that could be read. */
export function withText(state: ArgsState, text: string): ArgsState {
  const read = readArguments(text);
  return { ...state, text, ...("value" in read && { value: read.value }) };
}

export function textOf({ text, value }: ArgsState): string {
  return text ?? JSON.stringify(value, null, 2);
}

/** Undefined of what can be sent. */
export function faultIn({ text }: ArgsState): JsonFault | undefined {
  if (text === undefined) return undefined;
  const read = readArguments(text);
  return "fault" in read ? read.fault : undefined;
}

function readArguments(text: string): { readonly value: JsonObject } | { readonly fault: JsonFault } {
  try {
    const value = text.trim() === "" ? {} : readJson(text);
    return isObject(value) ? { value } : { fault: { code: "object" } };
  } catch {
    return { fault: { code: "json", ...(faultPlace(text) ?? START) } };
  }
}

const MOST_KEPT = 50;
const kept = new Map<string, ArgsState>();

/** What was filled in, per tool, for as long as the page is open: who looks at something else comes back to it. */
export function keptArgs(tool: string): ArgsState | undefined {
  return kept.get(tool);
}

export function keepArgs(tool: string, state: ArgsState): void {
  kept.delete(tool);
  kept.set(tool, state);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
