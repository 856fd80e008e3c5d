/** The page "figures": how much the house is used, how fast it answers, and what it costs, over the last hour. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { BigNumbers } from "./big-numbers.ts";
import { Chart } from "./chart.ts";
import { CHARTS } from "./charts.ts";
import { useFigures } from "./use-figures.ts";

/** A single point is no picture yet. */
const LEAST_SLOTS = 2;

export function FiguresPage(): VNode {
  const isLimited = useStore(me, (self) => self?.limited);
  if (isLimited === undefined) return html`<${Progress} label=${t("figures.first")} />`;
  return isLimited ? html`<${Empty} title=${t("figures.limited")} />` : html`<${Hour} />`;
}

function Hour(): VNode {
  const view = useFigures();
  const { slots, now, problem, reload } = view;
  return html`<div class="stack figures">
    ${problem && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
    <${BigNumbers} view=${view} />
    <p class="muted">${t("figures.lead")} <a href="metrics">${t("figures.metrics")}</a></p>
    ${slots.length < LEAST_SLOTS && html`<${Progress} label=${t("figures.first")} />`}
    <div class="figure-grid">
      ${CHARTS.map((spec) => html`<${Chart} key=${spec.name} spec=${spec} slots=${slots} now=${now} />`)}
    </div>
  </div>`;
}
