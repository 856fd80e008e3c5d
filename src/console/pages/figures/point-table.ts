/** The last five minutes of one picture as a table, the newest first. */
import type { VNode } from "preact";
import { clockTime } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import type { ChartSpec, Columns } from "./charts.ts";
import { withUnit } from "./units.ts";

const MOST_ROWS = 30;

export function PointTable({ spec, columns }: { spec: ChartSpec; columns: Columns }): VNode {
  const [times, ...series] = columns;
  const places = times.map((_, place) => place).slice(-MOST_ROWS);
  return html`<div class="scroll-x figure-table" tabindex="0" role="region" aria-label=${t("figures.table.label", { title: t(spec.title) })}>
    <table>
      <thead>
        <tr>
          <th scope="col">${t("figures.when")}</th>
          ${spec.series.map(({ label }) => html`<th key=${label} scope="col">${t(label)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${places.reverse().map(
          (place) => html`<tr key=${times[place]}>
            <th scope="row">${clockTime(new Date((times[place] ?? 0) * 1_000).toISOString())}</th>
            ${series.map((values, index) => html`<td key=${index}>${withUnit(values[place], spec.unit)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
