/** A whole form of a schema, for arguments of a tool or for what a tool asks. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { SchemaField } from "./form-field.ts";
import { Members } from "./form-object.ts";
import type { FormScope } from "./form-scope.ts";
import { isObject, type JsonObject } from "./values.ts";

interface SchemaFormProps {
  readonly form: FormScope;
  readonly schema: unknown;
  readonly value: JsonObject;
  readonly change: (value: JsonObject) => void;
}

/** A tool's arguments have names, whatever its schema forgets to say. */
const OBJECT = { type: "object" };

export function SchemaForm({ form: scope, schema, value, change }: SchemaFormProps): VNode {
  const form = { ...scope, Field: SchemaField };
  const whole = form.shapes.of(schema).kind === "any" ? OBJECT : schema;
  const shape = form.shapes.of(whole);
  const take = (next: unknown): void => change(isObject(next) ? next : {});
  const props = { form, schema: whole, path: [], name: t("tools.arg.all"), required: true, value, change: take };
  if (shape.kind !== "object") return html`<${SchemaField} ...${props} bare=${true} />`;
  const isEmpty = shape.members.length === 0 && !shape.isOpen && Object.keys(value).length === 0;
  if (isEmpty) return html`<p class="muted">${t("tools.arg.none")}</p>`;
  return html`<${Members} ...${props} shape=${shape} id=${form.prefix} />`;
}
