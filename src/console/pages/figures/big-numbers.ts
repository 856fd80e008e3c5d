/** What one wants to know at a glance: the same numbers as at `/metrics`. */
import type { VNode } from "preact";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { bytes, number, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { share } from "./totals.ts";
import type { FiguresView } from "./use-figures.ts";

const UNKNOWN = "–";
const LEAST_SHARE = 0.0001;

export function BigNumbers({ view }: { view: FiguresView }): VNode {
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
