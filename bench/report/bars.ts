/** The chart of a comparison: for each piece of work one bar per subject, its throughput as a share of the floor's. */
import type { Results, SubjectResult, WorkResult } from "../results.ts";
import { figure } from "./format.ts";
import { COLOURS, line, rect, svg, text } from "./svg.ts";

const WIDTH = 860;
const LEFT = 150;
const RIGHT = 130;
const TOP = 74;
const BAR = 13;
const STEP = 18;
const GAP = 34;
/** Ceilings are far to the right and belong to no gateway. */
const UNSHOWN = /^(?:upstream-|generator)/;

export function barChart({ machine, rounds, seconds, works }: Results): string {
  const shown = works.map((work) => ({ ...work, subjects: work.subjects.filter(({ name }) => !UNSHOWN.test(name)) }));
  const scale = scaleOf(shown);
  const parts: string[] = [];
  let y = TOP;
  for (const work of shown) {
    parts.push(...group(work, y, scale));
    y += GAP + work.subjects.length * STEP;
  }
  const title = "Throughput as a share of a bare relay's (higher is better)";
  const day = machine.date.slice(0, 10);
  const said = `median of ${rounds} × ${seconds} s, whisker: least and most · ${machine.cores} cores, Node ${machine.node} · ${day}`;
  const head = [text(16, 26, title, { size: 17, bold: true }), text(16, 46, said, { colour: COLOURS.faint })];
  return svg(WIDTH, y, title, [...head, ...grid(scale, y), ...parts]);
}

interface Scale {
  readonly max: number;
  x(value: number): number;
}

function scaleOf(works: readonly WorkResult[]): Scale {
  const ratios = works.flatMap(({ subjects }) => subjects.map(({ ratio }) => ratio?.median ?? 0));
  const max = Math.max(1, Math.ceil(Math.max(0, ...ratios) * 5) / 5);
  return { max, x: (value) => LEFT + (Math.min(value, max) / max) * (WIDTH - LEFT - RIGHT) };
}

function grid(scale: Scale, bottom: number): string[] {
  const parts: string[] = [];
  for (let value = 0; value <= scale.max + 1e-9; value += 0.2) {
    const x = scale.x(value);
    parts.push(line(x, TOP - 8, x, bottom - 8, COLOURS.line, Math.abs(value - 1) > 1e-9));
    parts.push(text(x, TOP - 12, value.toFixed(1), { size: 10, colour: COLOURS.faint, anchor: "middle" }));
  }
  return parts;
}

function group({ title, connections, base, subjects }: WorkResult, top: number, scale: Scale): string[] {
  const plural = connections === 1 ? "connection" : "connections";
  const against = base.startsWith("floor") ? "" : ` · against ${base}`;
  const head = text(16, top + 10, `${title} · ${connections} ${plural}${against}`, { size: 13, bold: true });
  return [head, ...subjects.flatMap((subject, place) => bar(subject, top + 16 + place * STEP, scale))];
}

function bar({ name, ratio, missing }: SubjectResult, y: number, scale: Scale): string[] {
  const label = text(LEFT - 8, y + BAR - 2, name, { anchor: "end" });
  if (!ratio)
    return [
      label,
      text(LEFT + 4, y + BAR - 2, `not measured: ${missing ?? ""}`.slice(0, 90), { colour: COLOURS.faint, size: 11 }),
    ];
  const end = scale.x(ratio.median);
  const middle = y + BAR / 2;
  const whisker = line(scale.x(ratio.min), middle, scale.x(ratio.max), middle, COLOURS.ink);
  const behind = Math.max(end, scale.x(ratio.max)) + 6;
  return [
    label,
    rect(LEFT, y, end - LEFT, BAR, colourOf(name)),
    whisker,
    text(behind, y + BAR - 2, figure(ratio.median), { size: 11 }),
  ];
}

function colourOf(name: string): string {
  if (name.startsWith("floor")) return COLOURS.floor;
  return name.startsWith("zaguan") ? COLOURS.zaguan : COLOURS.peer;
}
