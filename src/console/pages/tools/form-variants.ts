/** Several forms that a value may have: one is chosen, and its fields are drawn. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { Group, nameOf } from "./form-frame.ts";
import type { ControlProps } from "./form-scope.ts";
import { asVariant, fittingVariant, mayFit } from "./variant-fit.ts";

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
    const next = Number((event.target as HTMLSelectElement).value);
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
