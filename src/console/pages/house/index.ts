/** The page "house": the simulated house, the homes that run Home Assistant, and devices that dialled in. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Progress } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { Devices } from "./devices.ts";
import { Homes } from "./homes.ts";
import { SimulatedHouse } from "./simulated-house.ts";

export function HousePage(): VNode {
  const isKnown = useStore(me) !== undefined;
  if (!isKnown) return html`<${Progress} label=${t("nav.loading")} />`;
  return html`<div class="house-page"><${SimulatedHouse} /><${Homes} /><${Devices} /></div>`;
}
