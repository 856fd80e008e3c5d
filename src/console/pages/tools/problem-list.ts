/** What is wrong in a form, in one place: each leads to its field. */
import type { VNode } from "preact";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { wrongText } from "./form-hints.ts";
import type { Problems } from "./problems.ts";

const MOST_SHOWN = 8;

export function ProblemList({ problems, prefix }: { problems: Problems; prefix: string }): VNode | undefined {
  if (problems.size === 0) return undefined;
  const shown = [...problems].slice(0, MOST_SHOWN);
  return html`<div class="problem" role="alert">
    <p><strong>${t("tools.wrong.title")}</strong></p>
    <ul>
      ${shown.map(
        ([place, wrong]) => html`<li key=${place}>
        <button type="button" class="link" onClick=${() => document.getElementById(prefix + place)?.focus()}>${placeText(place)}</button> ${wrongText(wrong)}
      </li>`,
      )}
    </ul>
    ${problems.size > MOST_SHOWN && html`<p>${t("tools.wrong.more", { count: number(problems.size - MOST_SHOWN) })}</p>`}
  </div>`;
}

/** `/rooms/0/name` as people write it. */
function placeText(place: string): string {
  const steps = place.split("/").slice(1).map(decodeURIComponent);
  return steps
    .map((step, at) => (/^\d+$/.test(step) ? `[${Number(step) + 1}]` : at === 0 ? step : `.${step}`))
    .join("");
}
