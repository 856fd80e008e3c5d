/** The way into something that is left out and has fields inside. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { nameOf } from "./form-frame.ts";
import { type ControlProps, focusLater } from "./form-scope.ts";
import { startWhenSet } from "./start.ts";

export function SetButton(props: ControlProps): VNode {
  const { form, schema, change, required, id } = props;
  const press = (): void => {
    change(startWhenSet(form.shapes, schema));
    focusLater(id);
  };
  return html`<div class="row">
    <button
      type="button"
      class="button small"
      aria-label=${t("tools.arg.setNamed", { name: nameOf(props) })}
      onClick=${press}
    >${t("tools.arg.set")}</button>
    ${!required && html`<span class="muted">${t("tools.arg.isLeftOut")}</span>`}
  </div>`;
}
