/** The chart of cost curves: one small plot for each axis, its points against the smallest, both scales named. */
import type { Curve, Point } from "../curve.ts";
import type { Machine } from "../results.ts";
import { figure } from "./format.ts";
import { COLOURS, dot, line, path, svg, text } from "./svg.ts";

const WIDTH = 860;
const PLOT_WIDTH = 330;
const PLOT_HEIGHT = 170;
const LEFT = 64;
const TOP = 96;
const ACROSS = 420;
const DOWN = 260;

export function plotCurves(curves: readonly Curve[], { date, cores, node }: Machine): string {
  const title = "Zaguan's throughput as something grows, against its own smallest point";
  const said = `${cores} cores, Node ${node} · ${date.slice(0, 10)} · the bar through a point: least and most of the rounds`;
  const head = [text(16, 26, title, { size: 17, bold: true }), text(16, 46, said, { colour: COLOURS.faint })];
  const plots = curves.flatMap((curve, place) =>
    plot(curve, LEFT + (place % 2) * ACROSS, TOP + Math.floor(place / 2) * DOWN),
  );
  return svg(WIDTH, TOP + Math.ceil(curves.length / 2) * DOWN - 30, title, [...head, ...plots]);
}

function plot({ title, points }: Curve, left: number, top: number): string[] {
  const most = 1.12 * Math.max(1, ...points.map(({ ratio }) => ratio.max));
  const x = (value: number): number => left + share(value, points) * PLOT_WIDTH;
  const y = (ratio: number): number => top + PLOT_HEIGHT * (1 - ratio / most);
  return [
    text(left, top - 14, title, { size: 13, bold: true }),
    ...levels(most).flatMap((level) => [
      line(left, y(level), left + PLOT_WIDTH, y(level), COLOURS.line, level !== 1),
      text(left - 6, y(level) + 4, figure(level), { size: 10, colour: COLOURS.faint, anchor: "end" }),
    ]),
    path(
      points.map(({ value, ratio }) => [x(value), y(ratio.median)]),
      COLOURS.zaguan,
    ),
    ...points.flatMap((point) => mark(point, x(point.value), y, top + PLOT_HEIGHT)),
  ];
}

function mark({ value, ratio }: Point, x: number, y: (ratio: number) => number, bottom: number): string[] {
  return [
    line(x, y(ratio.min), x, y(ratio.max), COLOURS.ink),
    dot(x, y(ratio.median), COLOURS.zaguan),
    text(x, y(ratio.max) - 6, figure(ratio.median), { size: 10, anchor: "middle" }),
    text(x, bottom + 16, value.toLocaleString("en"), { size: 10, colour: COLOURS.faint, anchor: "middle" }),
  ];
}

/** Where a value stands between the first and the last, by its logarithm. */
function share(value: number, points: readonly Point[]): number {
  const [first, last] = [Math.log(points[0]?.value ?? 1), Math.log(points.at(-1)?.value ?? 1)];
  return last === first ? 0 : (Math.log(value) - first) / (last - first);
}

function levels(most: number): number[] {
  const step = most > 4 ? Math.ceil(most / 4) : most > 2 ? 1 : 0.5;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, place) => place * step);
}
