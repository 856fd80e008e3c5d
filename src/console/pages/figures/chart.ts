/** One picture with its title, its present values in words, and the same as a table for those who want numbers. */
import type { VNode } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { clockTime } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { withUnit } from "./axes.ts";
import { type ChartSeries, type ChartSpec, type Columns, columnsOf, lastKnown } from "./charts.ts";
import type { Slot } from "./hour.ts";
import { usePlot } from "./plot.ts";

/** Of the ten seconds that are being filled not everything is known at once. */
const FRESH_SLOTS = 2;

export function Chart({ spec, slots, now }: { spec: ChartSpec; slots: readonly Slot[]; now: number }): VNode {
  const columns = useMemo(() => columnsOf(spec, slots, now), [slots, now]);
  const [hovered, hover] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const id = useId();
  usePlot(frame, spec, columns, hover);
  return html`<figure ref=${frame} class="card figure" aria-labelledby=${id}>
    <figcaption>
      <div class="figure-head">
        <h2 id=${id}>${t(`figures.${spec.name}`)}</h2>
        <button type="button" class="button small" aria-expanded=${isTable} aria-describedby=${id} onClick=${() => setTable(!isTable)}>
          ${t(isTable ? "figures.table.hide" : "figures.table.show")}
        </button>
      </div>
      <p class="muted">${t(`figures.${spec.name}.note`)}</p>
      <${Values} spec=${spec} columns=${columns} hovered=${hovered} />
    </figcaption>
    <div class="figure-plot" aria-hidden="true"></div>
    ${isTable && html`<${PointTable} spec=${spec} columns=${columns} />`}
  </figure>`;
}

/** Under the pointer, or else the last that are known. */
function Values(props: { spec: ChartSpec; columns: Columns; hovered: number | null }): VNode {
  const { spec, columns, hovered } = props;
  const [times, ...series] = columns;
  const place = hovered ?? lastKnown(columns);
  const seconds = times[place];
  const isNow = hovered === null && place >= times.length - FRESH_SLOTS;
  return html`<dl class="figure-values">
    ${spec.series.map(
      (one, index) => html`<div key=${one.label}>
        <dt><${Mark} series=${one} kind=${spec.kind} /> ${t(one.label)}</dt>
        <dd>${withUnit(series[index]?.[place], spec.unit)}</dd>
      </div>`,
    )}
    <div class="figure-when">
      <dt>${t("figures.when")}</dt>
      <dd>${isNow || seconds === undefined ? t("figures.now") : clockTime(new Date(seconds * 1_000).toISOString())}</dd>
    </div>
  </dl>`;
}

/** The line as it is drawn: its colour, and its dashes. */
function Mark({ series, kind }: { series: ChartSeries; kind: ChartSpec["kind"] }): VNode {
  return html`<svg class="figure-mark" data-colour=${series.colour} viewBox="0 0 26 10" width="26" height="10" aria-hidden="true">
    ${
      kind === "bars"
        ? html`<rect x="8" y="1" width="10" height="8" fill="currentcolor" />`
        : html`<line x1="0" x2="26" y1="5" y2="5" stroke="currentcolor" stroke-width="2.5" stroke-dasharray=${series.dash.join(" ")} />`
    }
  </svg>`;
}

const MOST_ROWS = 30;

/** The last five minutes of one picture as a table, the newest first. */
function PointTable({ spec, columns }: { spec: ChartSpec; columns: Columns }): VNode {
  const [times, ...series] = columns;
  const places = times.map((_, place) => place).slice(-MOST_ROWS);
  return html`<div class="scroll-x figure-table" tabindex="0" role="region" aria-label=${t("figures.table.label", { title: t(`figures.${spec.name}`) })}>
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
