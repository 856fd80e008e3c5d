/** A plot that lives as long as its place in the page: it grows with it, and follows its colours. */
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { useStore } from "../../kit/store.ts";
import { theme } from "../../kit/theme.ts";
import { language } from "../../kit/words.ts";
import type { ChartSpec, Columns } from "./charts.ts";
import { aligned, makePlot, type Palette, resize } from "./plot.ts";

const DARK = "(prefers-color-scheme: dark)";

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
