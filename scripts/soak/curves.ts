/** The curves of a soak: memory, and what clients hold open, over time. */
import { COLOURS, line, path, svg, text } from "../../bench/report/svg.ts";
import type { Held } from "../../test/support/soak/held.ts";
import type { SoakReport } from "../../test/support/soak/soak.ts";

const WIDTH = 760;
const LEFT = 60;
const RIGHT = 150;
const PANE = 170;
const GAP = 50;
/** More points than this cannot be told apart. */
const MOST_POINTS = 500;

interface Curve {
  readonly name: string;
  readonly colour: string;
  of(held: Held): number;
}

const PANES: readonly { readonly title: string; readonly curves: readonly Curve[] }[] = [
  {
    title: "Memory (MB)",
    curves: [
      { name: "resident", colour: COLOURS.zaguan, of: ({ residentMb }) => residentMb },
      { name: "heap in use", colour: COLOURS.peer, of: ({ heapMb }) => heapMb },
    ],
  },
  {
    title: "Held open",
    curves: [
      { name: "sessions", colour: COLOURS.zaguan, of: ({ sessions }) => sessions },
      { name: "files", colour: COLOURS.peer, of: ({ files }) => files },
      { name: "children", colour: COLOURS.faint, of: ({ children }) => children },
    ],
  },
];

export function curves({ samples, options: { seconds } }: SoakReport): string {
  const every = Math.ceil(samples.length / MOST_POINTS);
  const shown = samples.filter((_, place) => place % every === 0);
  const panes = PANES.flatMap(({ title, curves: all }, place) => pane(title, all, shown, GAP + place * (PANE + GAP)));
  return svg(WIDTH, PANES.length * (PANE + GAP) + GAP, `A soak of ${Math.round(seconds / 60)} minutes`, panes);
}

function pane(title: string, all: readonly Curve[], samples: readonly Held[], top: number): string[] {
  const most = Math.max(...all.flatMap(({ of }) => samples.map(of)), 1);
  const end = Math.max(...samples.map(({ at }) => at), 1);
  const x = (at: number): number => LEFT + (at / end) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => top + PANE - (value / most) * PANE;
  const minutes = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.floor((end * share) / 60));
  return [
    text(LEFT, top - 14, title, { bold: true }),
    ...[0, most / 2, most].flatMap((value) => [
      line(LEFT, y(value), WIDTH - RIGHT, y(value), COLOURS.line),
      text(LEFT - 8, y(value) + 4, String(Math.round(value)), { anchor: "end", colour: COLOURS.faint }),
    ]),
    ...minutes.map((minute) =>
      text(x(minute * 60), top + PANE + 18, `${minute} min`, { anchor: "middle", colour: COLOURS.faint }),
    ),
    ...all.flatMap(({ name, colour, of }, place) => [
      path(
        samples.map((held) => [x(held.at), y(of(held))] as const),
        colour,
      ),
      text(WIDTH - RIGHT + 10, top + 14 + place * 18, name, { colour }),
    ]),
  ];
}
