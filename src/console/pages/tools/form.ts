/** A form made of a schema, each field with the control that its schema and its value call for. */
import type { ComponentType, VNode } from "preact";
import { exactDigits } from "../../kit/exact-json.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { ArrayControl } from "./form-array.ts";
import { Members, ObjectControl } from "./form-object.ts";
import { type ControlProps, type FieldProps, type FormScope, fieldId } from "./form-scope.ts";
import {
  BooleanControl,
  ChoiceControl,
  ConstControl,
  JsonControl,
  NeverControl,
  NullControl,
  NumberControl,
} from "./form-simple.ts";
import { TextControl } from "./form-text.ts";
import { VariantsControl } from "./form-variants.ts";
import type { Kind, Shape } from "./shape.ts";
import { Draft, isEqual, isObject, type JsonObject } from "./values.ts";

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

/** Fields nested deeper than this are edited as JSON. */
const DEEPEST = 12;

const CONTROLS = {
  text: TextControl,
  number: NumberControl,
  boolean: BooleanControl,
  choice: ChoiceControl,
  const: ConstControl,
  null: NullControl,
  object: ObjectControl,
  array: ArrayControl,
  variants: VariantsControl,
  any: JsonControl,
  never: NeverControl,
} as const;

/** One field. A value that does not fit its schema can still be seen and changed, as JSON. */
function SchemaField(props: FieldProps): VNode {
  const { form, schema, path } = props;
  const shape = form.shapes.of(schema);
  // An empty draft is no value yet.
  const value = isBegun(props.value) && shape.kind !== "any" ? undefined : props.value;
  const control = controlFor(shape, value, path.length) as ComponentType<ControlProps>;
  return html`<${control} ...${props} value=${value} shape=${shape} id=${fieldId(form, path)} />`;
}

function controlFor(shape: Shape, value: unknown, depth: number): unknown {
  if (value === null && shape.about.nullable) return NullControl;
  if (depth > DEEPEST && !isSimple(shape.kind)) return JsonControl;
  return value === undefined || isDrawable(shape, value) ? CONTROLS[shape.kind] : JsonControl;
}

function isSimple(kind: Kind): boolean {
  return kind !== "object" && kind !== "array" && kind !== "variants";
}

function isBegun(value: unknown): boolean {
  return value instanceof Draft && value.text === "";
}

function isDrawable(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" || value instanceof Draft || exactDigits(value) !== undefined;
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return shape.choices.some((choice) => isEqual(choice.value, value));
    case "const":
      return isEqual(shape.value, value);
    case "null":
      return value === null;
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    default:
      return shape.kind === "variants";
  }
}
