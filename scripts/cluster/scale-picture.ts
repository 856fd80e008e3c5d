/** Draws how much each resource of a large cluster can carry, as bars on a logarithmic scale, with a line for the goal. */
import { COLOURS, line, rect, svg, text } from "../../bench/report/svg.ts";
import { type Resource, resourcesOf, rough, WANTED } from "./estimates.ts";
import type { ClusterFigures } from "./figures.ts";

const WIDTH = 860;
const LEFT = 330;
const RIGHT = 110;
const TOP = 84;
const STEP = 26;
const BAR = 15;
const GAP = 62;

export function scalePicture(figures: ClusterFigures): string {
  const resources = resourcesOf(figures);
  const title = `How far ${WANTED.nodes} nodes carry`;
  const said = "a bar that ends before the line is too short · calculated from measured costs, see the tables";
  const units = ["devices", "calls a second"] as const;
  let y = TOP;
  const panes = units.flatMap((unit) => {
    const shown = resources.filter((resource) => resource.unit === unit);
    const drawn = pane(unit, shown, y);
    y += shown.length * STEP + GAP;
    return drawn;
  });
  const head = [text(16, 26, title, { size: 17, bold: true }), text(16, 46, said, { colour: COLOURS.faint })];
  return svg(WIDTH, y - 20, title, [...head, ...panes]);
}

function pane(unit: Resource["unit"], shown: readonly Resource[], top: number): string[] {
  const wanted = shown[0]?.wanted ?? 1;
  const ends = [
    Math.min(wanted / 10, ...shown.map(({ carries }) => carries)),
    Math.max(wanted * 10, ...shown.map(({ carries }) => carries)),
  ] as const;
  const [from, to] = [Math.floor(Math.log10(ends[0])), Math.ceil(Math.log10(ends[1]))];
  const x = (value: number): number => LEFT + ((Math.log10(value) - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const bottom = top + shown.length * STEP;
  const tenfolds = Array.from({ length: to - from + 1 }, (_, step) => 10 ** (from + step));
  return [
    text(16, top - 8, unit, { size: 13, bold: true }),
    ...tenfolds.flatMap((value) => [
      line(x(value), top, x(value), bottom, COLOURS.line),
      text(x(value), bottom + 14, rough(value), { size: 10, colour: COLOURS.faint, anchor: "middle" }),
    ]),
    ...shown.flatMap((resource, place) => bar(resource, x, top + place * STEP + 5)),
    line(x(wanted), top - 4, x(wanted), bottom + 2, COLOURS.ink, true),
    text(x(wanted), top - 8, `wanted: ${rough(wanted)}`, { size: 11, anchor: "middle" }),
  ];
}

function bar({ name, carries, wanted, isPlanned }: Resource, x: (value: number) => number, y: number): string[] {
  const colour = carries < wanted ? COLOURS.zaguan : COLOURS.peer;
  return [
    text(LEFT - 10, y + 12, isPlanned ? `${name} *` : name, { anchor: "end" }),
    rect(LEFT, y, x(carries) - LEFT, BAR, colour),
    text(x(carries) + 6, y + 12, rough(carries), { size: 11 }),
  ];
}
