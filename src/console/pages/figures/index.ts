/** The page "figures": how much the house is used, how fast it answers, and what it costs, over the last hour. */
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Figures } from "../../../doors/live/views.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { type Problem, rest } from "../../kit/api.ts";
import { bytes, number, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { figures, hub, me } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { Chart } from "./chart.ts";
import { CHARTS } from "./charts.ts";
import { type FiguresAnswer, hubNow, merged, type Slot, share, slotsOf, type Totals, totalsNow } from "./hour.ts";

/** A line needs two points. */
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

/** A share in per cent; one that is very small is not shown as 0. */
function percent(part: number | null): string {
  if (part === null) return UNKNOWN;
  if (part > 0 && part < LEAST_SHARE) return `< ${t("figures.percent", { value: number(LEAST_SHARE * 100, 2) })}`;
  return t("figures.percent", { value: number(part * 100, part < 0.1 ? 2 : 1) });
}

interface FiguresView {
  readonly slots: readonly Slot[];
  /** By the hub's clock. */
  readonly now: number;
  readonly totals: Totals | undefined;
  readonly live: Figures | undefined;
  readonly problem: Problem | undefined;
  reload(): void;
}

interface Seen {
  readonly points: readonly SeriesPoint[];
  readonly answer: FiguresAnswer | undefined;
  readonly live: Figures | undefined;
}

/**
 * The figures as they are now. The stream tells of the ten seconds that are being filled every now and then, but not how
 * they ended: whenever they are over, the hour is asked for again.
 */
function useFigures(): FiguresView {
  const live = useStore(figures);
  const startedUtc = useStore(hub)?.startedUtc;
  const asked = useLoad((signal) => rest.getFigures({}, signal), [live?.point.at, startedUtc]);
  const { value: answer, problem, reload } = asked;
  const seen = useRef<Seen>({ points: [], answer: undefined, live: undefined });
  seen.current = withNews(seen.current, answer, live);
  const { points } = seen.current;
  const slots = useMemo(() => slotsOf(points), [points]);
  const now = useMemo(() => hubNow(Date.now(), startedUtc, live?.uptimeSeconds), [points]);
  const totals = answer && totalsNow(answer, live?.point);
  return { slots, now, totals, live, problem, reload };
}

/** Adds what is new, the answer first: of two points for the same ten seconds, the later counts. */
function withNews(seen: Seen, answer: FiguresAnswer | undefined, live: Figures | undefined): Seen {
  if (seen.answer === answer && seen.live === live) return seen;
  const asked = answer && answer !== seen.answer ? merged(seen.points, answer.points) : seen.points;
  return { points: live && live !== seen.live ? merged(asked, [live.point]) : asked, answer, live };
}
