/** Several forms that a value may have: one is chosen, and its fields are drawn. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { exactDigits } from "../../kit/exact-json.ts";
import { html } from "../../kit/html.ts";
import { valueIn } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { Group, nameOf } from "./form-frame.ts";
import type { ControlProps } from "./form-scope.ts";
import type { ObjectShape, Shape, Variant } from "./shape.ts";
import type { Shapes } from "./shapes.ts";
import { startWhenSet } from "./start.ts";
import { isEqual, isObject, type JsonObject } from "./values.ts";

/** What was chosen holds for as long as the value can be that: some variants cannot be told apart by their values. */
export function VariantsControl(props: ControlProps<"variants">): VNode {
  const { form, shape, value, change, path, name } = props;
  const [choice, setChoice] = useState<number>();
  const chosenSchema = choice === undefined ? undefined : shape.variants[choice]?.schema;
  const isStill = chosenSchema !== undefined && mayFit(form.shapes, chosenSchema, value);
  const current =
    value === undefined ? -1 : isStill ? (choice ?? 0) : fittingVariant(form.shapes, shape.variants, value);
  const variant = shape.variants[current];
  const pick = (event: Event): void => {
    const next = Number(valueIn(event));
    setChoice(next);
    change(next < 0 ? undefined : asVariant(form.shapes, shape.variants[next], value));
  };
  return html`<${Group} ...${props}>
    <div class="arg-variant">
      <select aria-label=${t("tools.arg.variantOf", { name: nameOf(props) })} value=${String(current)} onChange=${pick}>
        ${(value === undefined || !props.required) && html`<option value="-1">${t(props.required ? "tools.arg.choose" : "tools.arg.leftOut")}</option>`}
        ${shape.variants.map(({ label }, at) => html`<option key=${at} value=${String(at)}>${label ?? t("tools.arg.variant", { number: at + 1 })}</option>`)}
      </select>
    </div>
    ${variant && html`<${form.Field} key=${current} form=${form} schema=${variant.schema} path=${path} name=${variant.label ?? name} required=${true} bare=${true} value=${value} change=${change} />`}
  </${Group}>`;
}

const NOT_AT_ALL = Number.NEGATIVE_INFINITY;
const TELLING = 10;
const STRANGER = 5;
const DEEPEST = 3;

/** The variant that fits a value best, by what it looks like; the first where none does. */
export function fittingVariant(shapes: Shapes, variants: readonly Variant[], value: unknown): number {
  const fits = variants.map(({ schema }) => fit(shapes, schema, value));
  return fits.reduce((best, one, at) => (one > (fits[best] ?? NOT_AT_ALL) ? at : best), 0);
}

function mayFit(shapes: Shapes, schema: unknown, value: unknown): boolean {
  return fit(shapes, schema, value) > NOT_AT_ALL;
}

function fit(shapes: Shapes, schema: unknown, value: unknown, depth = 0): number {
  const shape = shapes.of(schema);
  if (value === null && shape.about.nullable) return 1;
  switch (shape.kind) {
    case "variants":
      if (depth >= DEEPEST) return 0;
      return shape.variants.reduce(
        (best, variant) => Math.max(best, fit(shapes, variant.schema, value, depth + 1)),
        NOT_AT_ALL,
      );
    case "object":
      return isObject(value) ? fitOfObject(shapes, shape, value) : NOT_AT_ALL;
    default:
      return isOfKind(shape, value) ? 1 : NOT_AT_ALL;
  }
}

function isOfKind(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "const":
      return isEqual(shape.value, value);
    case "choice":
      return shape.choices.some((choice) => isEqual(choice.value, value));
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" ? !shape.whole || Number.isInteger(value) : exactDigits(value) !== undefined;
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    default:
      return shape.kind === "any";
  }
}

function fitOfObject(shapes: Shapes, { members, others, patterns }: ObjectShape, value: JsonObject): number {
  const known = new Set(members.map(({ name }) => name));
  const strangers = Object.keys(value).filter((name) => !known.has(name)).length;
  const isClosed = others === undefined && patterns.length === 0;
  return members.reduce(
    (sum, { name, schema, required }) => {
      if (!Object.hasOwn(value, name)) return required ? sum - 1 : sum;
      const shape = shapes.of(schema);
      const isTelling = shape.kind === "const" || shape.kind === "choice";
      if (!isTelling) return sum + 1;
      return isOfKind(shape, value[name]) ? sum + TELLING : NOT_AT_ALL;
    },
    isClosed ? -STRANGER * strangers : 0,
  );
}

/** The value of another variant: what was given already is kept where it has a place there. */
export function asVariant(shapes: Shapes, variant: Variant | undefined, value: unknown): unknown {
  const start = startWhenSet(shapes, variant?.schema);
  const shape = shapes.of(variant?.schema);
  if (shape.kind !== "object" || !isObject(value) || !isObject(start)) return start;
  const kept = shape.members.flatMap(({ name, schema }) => {
    const isKept = Object.hasOwn(value, name) && mayFit(shapes, schema, value[name]);
    return isKept ? [[name, value[name]] as const] : [];
  });
  return { ...start, ...Object.fromEntries(kept) };
}
