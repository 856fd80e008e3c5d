/** The plan as a picture: floors, light, furniture, walls with their doors and windows. What can be pressed lies over it. */
import type { VNode } from "preact";
import { useId, useMemo } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { type Box, type Door, MARGIN, type Plan, type Room, type Side, type Window } from "./plan.ts";
import type { RoomKind } from "./room-kind.ts";

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

/** A door opens into its room, away from where it leads. */
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

type Draw = (width: number, height: number) => VNode;

/** In smaller rooms there is place for a lamp and its name, and nothing else. */
const LEAST_HEIGHT = 110;
/** The smallest room that furniture is made for; for smaller ones it is made smaller. */
const FITS = { width: 140, height: 130 };

const PIECES: Readonly<Record<RoomKind, Draw>> = {
  living: (w, h) => html`
    <rect x=${w * 0.2} y=${h * 0.34} width=${w * 0.58} height=${h * 0.38} rx="4" class="soft" />
    <rect x=${w * 0.17} y=${h - 38} width=${w * 0.34} height="28" rx="8" />
    <path d=${`M${w * 0.2} ${h - 20}h${w * 0.28}M${w * 0.34} ${h - 38}v18`} />
    <rect x=${w - 38} y=${h / 2 - 15} width="24" height="30" rx="8" />
    ${h > 140 && plant(22, h - 24)}`,
  kitchen: (w, h) => html`
    <path d=${`M8 ${h * 0.42}H30V${h - 30}H${w * 0.56}V${h - 8}H8Z`} />
    <rect x="11" y=${h * 0.5} width="15" height="22" rx="4" />
    ${[0, 1, 2, 3].map((one) => html`<circle cx=${w * 0.34 + 13 * (one % 2)} cy=${h - (one < 2 ? 24 : 13.5)} r="3.4" />`)}
    <circle cx=${w - 30} cy=${h * 0.47} r="13" /><circle cx=${w - 30} cy=${h * 0.47 - 20} r="5" /><circle cx=${w - 30} cy=${h * 0.47 + 20} r="5" />`,
  bedroom: (w, h) => html`
    <rect x="28" y=${h - bed(h) - 8} width="68" height=${bed(h)} rx="5" />
    <rect x="33" y=${h - 26} width="26" height="14" rx="5" /><rect x="65" y=${h - 26} width="26" height="14" rx="5" />
    <path d=${`M28 ${h - bed(h) * 0.55 - 8}h68`} />
    <rect x="9" y=${h - 23} width="15" height="15" rx="2" />
    ${w > 160 && html`<rect x="100" y=${h - 23} width="15" height="15" rx="2" /><rect x=${w - 24} y=${h * 0.4} width="16" height=${h * 0.3} rx="2" />`}`,
  bathroom: (w, h) => html`
    <rect x="9" y=${h - 40} width=${tub(w)} height="32" rx="6" /><rect x="14" y=${h - 35} width=${tub(w) - 10} height="22" rx="11" />
    <rect x=${w - 25} y=${h * 0.34} width="17" height="25" rx="4" /><ellipse cx=${w - 16.5} cy=${h * 0.34 + 12.5} rx="5" ry="8" />
    <ellipse cx=${w - 23} cy=${h * 0.62} rx="10" ry="8" /><rect x=${w - 13} y=${h * 0.62 - 9} width="6" height="18" rx="2" />`,
  garage: (w, h) => html`
    <g transform=${`translate(14 ${h - 64})`}>
      <rect width=${car(w)} height="50" rx="14" />
      <path d=${`M${car(w) * 0.24} 8q-8 17 0 34h${car(w) * 0.48}q8 -17 0 -34Z`} />
    </g>`,
  dining: (w, h) => html`
    <rect x=${w * 0.12} y=${h - 50} width=${w * 0.44} height="28" rx="4" />
    ${[0.2, 0.34, 0.48].map((at) => html`<circle cx=${w * at} cy=${h - 58} r="5" /><circle cx=${w * at} cy=${h - 14} r="5" />`)}`,
  office: (w, h) => html`
    <rect x="8" y=${h * 0.42} width="26" height=${h * 0.48} rx="3" /><circle cx="46" cy=${h * 0.66} r="9" />
    <rect x="12" y=${h * 0.55} width="5" height=${h * 0.22} rx="1" />
    <rect x="42" y=${h - 19} width=${w * 0.3} height="11" rx="1" />`,
  outside: (w, h) => html`${plant(24, h - 26)}${plant(w * 0.44, h - 20)}${plant(w - 22, h * 0.5)}`,
  passage: (w, h) => html`<rect x="10" y=${h - 20} width=${w * 0.34} height="12" rx="2" />`,
  other: (w, h) =>
    html`<rect x="10" y=${h - 22} width=${w * 0.34} height="14" rx="2" /><rect x="10" y=${h * 0.5} width="12" height="24" rx="2" />`,
};

/**
 * What stands in a room, seen from above, so that one knows it at a glance. The lamp hangs in the middle, its name stands in
 * the upper left corner, and doors are at the right: the rest is for furniture.
 */
function Furniture({ room }: { room: Room }): VNode | null {
  const { x, y, width, height, kind } = room;
  if (height < LEAST_HEIGHT) return null;
  const scale = Math.min(1, width / FITS.width, height / FITS.height);
  return html`<g class="house-furniture" transform=${`translate(${x} ${y}) scale(${scale})`}>
    ${PIECES[kind](width / scale, height / scale)}
  </g>`;
}

function plant(x: number, y: number): VNode {
  return html`<g transform=${`translate(${x} ${y})`}>
    <circle r="11" /><path d="M0 0L-7 -7M0 0L7 -7M0 0L0 10" />
  </g>`;
}

function bed(height: number): number {
  return Math.min(86, height * 0.4);
}

function car(width: number): number {
  return Math.min(130, width - 64);
}

function tub(width: number): number {
  return Math.min(90, width * 0.5);
}
