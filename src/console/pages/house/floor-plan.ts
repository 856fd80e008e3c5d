/** The floor plan: the picture, the rooms that can be pressed, and the people who are there. */
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HouseView } from "../../../doors/live/views.ts";
import type { Problem } from "../../kit/api.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { MARGIN, type Plan, placeOf, planOf, type Room } from "./plan.ts";
import { PlanDrawing } from "./plan-drawing.ts";
import { type Figure, figuresIn } from "./presence.ts";
import { setLamp, useSwitch } from "./switch.ts";

/** The plan's width changes in steps of pixels, so that it is not made anew all the time while a window is resized. */
const STEP = 20;

/** `report` is told which room it is about. */
export function FloorPlan(props: {
  house: HouseView;
  report: (room: string, problem: Problem | undefined) => void;
  /** Lamps can be seen but not switched. */
  isFixed: boolean;
}): VNode {
  const { lights, alarm, presence } = props.house;
  const [frame, width] = useWidth();
  const names = Object.keys(lights);
  const plan = useMemo(() => planOf(names, width), [names.join("\n"), width]);
  const figures = figuresIn(plan.standing, presence);
  return html`<div ref=${frame} class="house-frame">
    ${
      width > 0 &&
      html`<div class="house-plan" role="group" aria-label=${t("house.plan")} style=${{ maxWidth: `${plan.width + 2 * MARGIN}px` }}>
        <${PlanDrawing} plan=${plan} lit=${names.map((name) => lights[name] === true)} armed=${alarm} />
        ${figures.map((figure, index) => html`<${Person} key=${index} figure=${figure} plan=${plan} />`)}
        ${plan.rooms.map((room) => html`<${RoomSwitch} key=${room.name} room=${room} plan=${plan} isOn=${lights[room.name] === true} isFixed=${props.isFixed} report=${(problem: Problem | undefined) => props.report(room.name, problem)} />`)}
      </div>`
    }
  </div>`;
}

/** Hidden from screen readers: beside the plan there is a list of who is there. */
function Person({ figure, plan }: { figure: Figure; plan: Plan }): VNode {
  const { x, y, name, more } = figure;
  const { left, top } = placeOf({ x, y, width: 0, height: 0 }, plan);
  return html`<span class="house-person" aria-hidden="true" style=${{ left, top }}>
    <svg viewBox="-12 -14 24 28"><circle cy="-6" r="6" /><path d="M-10 13C-10 -2 10 -2 10 13Z" /></svg>
    <span class="plate ellipsis">${name || t("house.somebody")}${more > 0 && ` +${more}`}</span>
  </span>`;
}

function useWidth(): [ref: { current: HTMLDivElement | null }, width: number] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = (): void => setWidth(Math.floor((element.clientWidth - 2 * MARGIN) / STEP) * STEP);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}

const RAYS = [0, 45, 90, 135, 180, 225, 270, 315];

interface RoomSwitchProps {
  readonly room: Room;
  readonly plan: Plan;
  readonly isOn: boolean;
  /** It can still be reached, so that its state can be heard. */
  readonly isFixed: boolean;
  readonly report: (problem: Problem | undefined) => void;
}

/** A room that can be pressed: it lies over its place in the plan and switches its lamp. */
function RoomSwitch({ room, plan, isOn, isFixed, report }: RoomSwitchProps): VNode {
  const { name } = room;
  const { isBusy, press } = useSwitch(isOn, (on) => setLamp(name, on), report);
  return html`<button
    type="button"
    class="house-room"
    role="switch"
    aria-checked=${isOn}
    aria-busy=${isBusy}
    aria-disabled=${isFixed}
    aria-label=${t("house.lamp", { name })}
    style=${placeOf(room, plan)}
    onClick=${isFixed ? undefined : press}
  >
    <span class="plate"><span class="room-name">${name}</span> <span class="muted">${isBusy ? t("house.busy") : t(isOn ? "house.on" : "house.off")}</span></span>
    <${Lamp} isOn=${isOn} isBusy=${isBusy} />
  </button>`;
}

/** Rays, not only a colour, say that it is on. */
function Lamp({ isOn, isBusy }: { isOn: boolean; isBusy: boolean }): VNode {
  return html`<svg class="house-lamp" viewBox="-22 -22 44 44" data-on=${isOn} data-busy=${isBusy} aria-hidden="true">
    <circle r="17" class="ring" />
    <circle r="9" class="bulb" />
    <g class="rays">${RAYS.map((turn) => html`<path key=${turn} d="M0 -13V-19" transform=${`rotate(${turn})`} />`)}</g>
  </svg>`;
}
