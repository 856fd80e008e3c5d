/** The plan as a picture: floors, light, furniture, walls with their doors and windows. What can be pressed lies over it. */
import type { VNode } from "preact";
import { useId, useMemo } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { Furniture } from "./furniture.ts";
import { MARGIN } from "./over-plan.ts";
import type { Box, Door, Plan, Side, Window } from "./plan.ts";

const TURNS: Readonly<Record<Side, number>> = { down: 0, left: 90, up: 180, right: 270 };

interface PlanDrawingProps {
  readonly plan: Plan;
  /** Whether there is light, room by room. */
  readonly lit: readonly boolean[];
  readonly armed: boolean;
}

export function PlanDrawing({ plan, lit, armed }: PlanDrawingProps): VNode {
  const id = useId();
  const { width, height } = plan;
  const furniture = useMemo(
    () => plan.rooms.map((room) => html`<${Furniture} key=${room.name} room=${room} />`),
    [plan],
  );
  const walls = useMemo(() => html`<${Walls} plan=${plan} />`, [plan]);
  return html`<svg class="house-drawing" viewBox=${`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`} aria-hidden="true">
    <defs>
      <radialGradient id=${`${id}-room`} r="0.75">
        <stop offset="0" class="glow-near" /><stop offset="0.5" class="glow-middle" /><stop offset="1" class="glow-far" />
      </radialGradient>
      <radialGradient id=${`${id}-door`} cx="0.5" cy="0" r="0.9">
        <stop offset="0" class="glow-middle" /><stop offset="1" class="glow-none" />
      </radialGradient>
    </defs>
    <rect width=${width} height=${height} class="house-ground" />
    ${plan.rooms.map((room, index) => html`<${Floor} key=${room.name} box=${room} lit=${lit[index]} fill=${`url(#${id}-room)`} />`)}
    ${plan.doors.map(({ room, ...door }, index) => room !== undefined && html`<${Spill} key=${index} door=${door} lit=${lit[room]} fill=${`url(#${id}-door)`} />`)}
    ${furniture}
    ${walls}
    <rect class="house-perimeter" data-on=${armed} x="-12" y="-12" width=${width + 24} height=${height + 24} rx="10" />
  </svg>`;
}

function Floor({ box, lit, fill }: { box: Box; lit: boolean; fill: string }): VNode {
  const { x, y, width, height } = box;
  return html`<g>
    <rect x=${x} y=${y} width=${width} height=${height} class="house-floor" />
    <rect x=${x} y=${y} width=${width} height=${height} class="house-glow" data-on=${lit} fill=${fill} />
  </g>`;
}

/** The light that falls out of a room by its door. */
function Spill({ door, lit, fill }: { door: Door; lit: boolean; fill: string }): VNode {
  const half = door.width / 2;
  const path = `M${-half} 0H${half}L${half * 1.7} ${half * 1.3}Q0 ${half * 2} ${-half * 1.7} ${half * 1.3}Z`;
  return html`<path d=${path} transform=${placed(door)} class="house-glow" data-on=${lit} fill=${fill} />`;
}

function Walls({ plan }: { plan: Plan }): VNode {
  return html`<g>
    ${plan.rooms.map(({ name, x, y, width, height }) => html`<rect key=${name} x=${x} y=${y} width=${width} height=${height} class="house-wall" />`)}
    <rect width=${plan.width} height=${plan.height} class="house-wall outer" />
    ${plan.windows.map(windowIn)}
    ${plan.doors.map(doorIn)}
  </g>`;
}

/** It opens inwards: that is, away from where it leads. */
function doorIn(door: Door): VNode {
  const half = door.width / 2;
  return html`<g transform=${placed(door)} class="house-door">
    <path d=${`M${-half} 0H${half}`} class=${door.room === undefined ? "opening outer" : "opening"} />
    <path d=${`M${-half} 0V${-door.width}A${door.width} ${door.width} 0 0 1 ${half} 0`} />
  </g>`;
}

function windowIn({ x, y, length, along }: Window): VNode {
  return html`<g transform=${`translate(${x} ${y}) rotate(${along === "x" ? 0 : 90})`} class="house-window">
    <path d=${`M${-length / 2} 0H${length / 2}`} class="opening" />
    <path d=${`M${-length / 2} 0H${length / 2}`} />
  </g>`;
}

function placed({ x, y, toward }: Door): string {
  return `translate(${x} ${y}) rotate(${TURNS[toward]})`;
}
