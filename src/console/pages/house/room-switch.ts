/** A room that can be pressed: it lies over its place in the plan and switches its lamp. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import type { Problem } from "../../kit/problem.ts";
import { t } from "../../kit/words.ts";
import { setLamp } from "./act.ts";
import { placeOf } from "./over-plan.ts";
import type { Plan, Room } from "./plan.ts";
import { useSwitch } from "./use-switch.ts";

const RAYS = [0, 45, 90, 135, 180, 225, 270, 315];

interface RoomSwitchProps {
  readonly room: Room;
  readonly plan: Plan;
  readonly isOn: boolean;
  /** It can still be reached, so that its state can be heard. */
  readonly isFixed: boolean;
  readonly report: (problem: Problem | undefined) => void;
}

export function RoomSwitch({ room, plan, isOn, isFixed, report }: RoomSwitchProps): VNode {
  const { name } = room;
  const { wanted, press } = useSwitch(isOn, (on) => setLamp(name, on), report);
  const isBusy = wanted !== undefined;
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
