/** The page "figures": how much the house is used, how fast it answers, and what it costs, over the last hour. */
import type { VNode } from "preact";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { bytes, number, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { Chart } from "./chart.ts";
import { CHARTS } from "./charts.ts";
import { share } from "./hour.ts";
import { type FiguresView, useFigures } from "./use-figures.ts";

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

const UNKNOWN = "–";
const LEAST_SHARE = 0.0001;

/** What one wants to know at a glance: the same numbers as at `/metrics`. */
function BigNumbers({ view }: { view: FiguresView }): VNode {
  return html`<dl class="big-numbers">
    ${numbersOf(view).map(
      ([name, value, note]) => html`<div key=${name} class="card">
        <dt>${t(name)}</dt>
        <dd>${value}</dd>
        ${note !== undefined && html`<dd class="muted">${note}</dd>`}
      </div>`,
    )}
  </dl>`;
}

type BigNumber = readonly [name: ConsoleKey, value: string, note?: string];

function numbersOf({ totals, live, slots }: FiguresView): readonly BigNumber[] {
  const memory = slots.findLast(({ point }) => point?.memoryBytes)?.point?.memoryBytes;
  const asked = totals && totals.cacheHits + totals.cacheMisses;
  return [
    ["figures.total.calls", totals ? number(totals.calls) : UNKNOWN, t("figures.total.calls.note")],
    [
      "figures.total.errors",
      totals ? percent(share(totals.failed, totals.calls)) : UNKNOWN,
      t("figures.total.errors.note", { count: number(totals?.failed ?? 0) }),
    ],
    [
      "figures.total.hits",
      totals ? percent(share(totals.cacheHits, asked ?? 0)) : UNKNOWN,
      t("figures.total.hits.note", { count: number(totals?.cacheHits ?? 0), total: number(asked ?? 0) }),
    ],
    ["figures.total.inFlight", live ? number(live.inFlight) : UNKNOWN, t("figures.total.inFlight.note")],
    ["figures.total.uptime", live ? span(live.uptimeSeconds * 1_000) : UNKNOWN, t("figures.total.uptime.note")],
    ["figures.total.memory", memory ? bytes(memory) : UNKNOWN, t("figures.total.memory.note")],
  ];
}

/** One in a hundred thousand is not none. */
function percent(part: number | null): string {
  if (part === null) return UNKNOWN;
  if (part > 0 && part < LEAST_SHARE) return `< ${t("figures.percent", { value: number(LEAST_SHARE * 100, 2) })}`;
  return t("figures.percent", { value: number(part * 100, part < 0.1 ? 2 : 1) });
}
