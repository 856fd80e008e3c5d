/** One field, drawn as what its schema and its value are. What does not fit its schema can still be seen and changed, as JSON. */
import type { ComponentType, VNode } from "preact";
import { exactDigits } from "../../kit/exact-json.ts";
import { html } from "../../kit/html.ts";
import { Draft } from "./draft.ts";
import { ArrayControl } from "./form-array.ts";
import { JsonControl } from "./form-json.ts";
import { ObjectControl } from "./form-object.ts";
import { type ControlProps, type FieldProps, fieldId } from "./form-scope.ts";
import {
  BooleanControl,
  ChoiceControl,
  ConstControl,
  NeverControl,
  NullControl,
  NumberControl,
} from "./form-simple.ts";
import { TextControl } from "./form-text.ts";
import { VariantsControl } from "./form-variants.ts";
import type { Kind, Shape } from "./shape.ts";
import { isEqual, isObject } from "./values.ts";

/** Deeper than anybody fills in a form. */
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

export function SchemaField(props: FieldProps): VNode {
  const { form, schema, path } = props;
  const shape = form.shapes.of(schema);
  // Something that was only begun is nothing yet.
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
