/** One picture, drawn by uPlot. Its colours are asked for at every drawing, since the theme may change under it. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { locale } from "../../kit/format.ts";
import { useStore } from "../../kit/store.ts";
import { theme } from "../../kit/theme.ts";
import { language } from "../../kit/words.ts";
import { lonelyOf, thin, timeRange, valueRange, withUnit } from "./axes.ts";
import type { ChartSpec, Columns } from "./charts.ts";

interface Palette {
  readonly series: readonly string[];
  readonly axis: string;
  readonly grid: string;
}

interface PlotOptions {
  readonly spec: ChartSpec;
  readonly columns: Columns;
  readonly palette: () => Palette;
  /** The place under the pointer, in this picture or any other; null where there is none. */
  readonly hover: (place: number | null) => void;
}

const HEIGHT = 190;
const AXIS_WIDTH = 58;
const FONT = "12px system-ui, sans-serif";
const WHOLE_STEPS = Array.from({ length: 7 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const TIME_STEPS = [60, 120, 300, 600, 900, 1_800];

function makePlot(place: HTMLElement, options: PlotOptions): uPlot {
  const { spec, columns, palette, hover } = options;
  const choices: uPlot.Options = {
    width: widthOf(place),
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { size: 8 },
      sync: { key: "figures", setSeries: false },
    },
    scales: {
      x: { time: true, range: (_, first, last) => timeRange(first, last) },
      y: { range: (_, __, highest) => valueRange(highest, spec.unit) },
    },
    axes: [timeAxis(palette), valueAxis(spec, palette)],
    series: [{}, ...spec.series.map((_, place) => seriesOf(spec, place, palette))],
    hooks: { setCursor: [({ cursor }) => hover(cursor.idx ?? null)] },
  };
  return new uPlot(choices, aligned(columns), place);
}

function resize(plot: uPlot, place: HTMLElement): void {
  const width = widthOf(place);
  if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
}

/** The columns in uPlot's type, which is mutable; uPlot only reads them. */
function aligned(columns: Columns): uPlot.AlignedData {
  return columns as unknown as uPlot.AlignedData;
}

function widthOf(place: HTMLElement): number {
  return Math.max(200, Math.floor(place.clientWidth));
}

function seriesOf({ series, kind }: ChartSpec, place: number, palette: () => Palette): uPlot.Series {
  const colour = (): string => palette().series[place] ?? "gray";
  const bars = uPlot.paths.bars?.({ size: [0.8, 24], align: 1 });
  if (kind === "bars" && bars) return { fill: colour, width: 0, paths: bars, points: { show: false } };
  return {
    stroke: colour,
    width: 2,
    dash: [...(series[place]?.dash ?? [])],
    ...(kind === "area" && place === 0 && { fill: () => thin(colour()) }),
    points: { show: false, size: 5, fill: colour, filter: (plot, index) => lonelyOf(plot.data[index] ?? []) },
  };
}

function timeAxis(palette: () => Palette): uPlot.Axis {
  const format = new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" });
  return {
    ...look(palette),
    incrs: TIME_STEPS,
    space: 70,
    size: 28,
    values: (_, splits) => splits.map((seconds) => format.format(seconds * 1_000)),
  };
}

function valueAxis({ unit }: ChartSpec, palette: () => Palette): uPlot.Axis {
  return {
    ...look(palette),
    size: AXIS_WIDTH,
    space: 34,
    ...(unit === "count" && { incrs: WHOLE_STEPS }),
    values: (_, splits) => splits.map((value) => withUnit(value, unit)),
  };
}

function look(palette: () => Palette): uPlot.Axis {
  const line = { stroke: () => palette().grid, width: 1 };
  return { font: FONT, stroke: () => palette().axis, grid: line, ticks: { ...line, size: 4 } };
}

const DARK = "(prefers-color-scheme: dark)";

/** A plot that lives as long as its place in the page: it grows with it, and follows its colours. */
export function usePlot(
  frame: { readonly current: HTMLElement | null },
  spec: ChartSpec,
  columns: Columns,
  hover: (place: number | null) => void,
): void {
  const plot = useRef<uPlot>(undefined);
  const spoken = useStore(language);
  useEffect(() => {
    const place = frame.current?.querySelector<HTMLElement>(".figure-plot");
    if (!place) return;
    let palette = paletteIn(place);
    const made = makePlot(place, { spec, columns, palette: () => palette, hover });
    plot.current = made;
    const stopWatching = whenColoursChange(() => {
      palette = paletteIn(place);
      made.redraw(false);
    });
    const observer = new ResizeObserver(() => resize(made, place));
    observer.observe(place);
    return () => {
      observer.disconnect();
      stopWatching();
      made.destroy();
    };
  }, [spoken]);
  useEffect(() => plot.current?.setData(aligned(columns)), [columns]);
}

/** The page's own colours, as the browser reckons them out of the theme: the marks of the series have them. */
function paletteIn(place: HTMLElement): Palette {
  const marks = place.closest("figure")?.querySelectorAll(".figure-mark") ?? [];
  const { color, borderTopColor } = getComputedStyle(place);
  return { series: [...marks].map((mark) => getComputedStyle(mark).color), axis: color, grid: borderTopColor };
}

function whenColoursChange(changed: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener("change", changed);
  const stop = theme.subscribe(changed);
  return () => {
    system.removeEventListener("change", changed);
    stop();
  };
}
