/** The page "house": the simulated house, the homes that run Home Assistant, and devices that dialled in. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { ServerLive } from "../../../doors/live/views.ts";
import { Snippet } from "../../kit/copy.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me, servers } from "../../kit/live.ts";
import { Badge, Empty, Progress, STATE_TONES } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { Homes } from "./homes.ts";
import { SimulatedHouse } from "./simulated-house.ts";
import { deviceAddress } from "./snippets.ts";

export function HousePage(): VNode {
  const isKnown = useStore(me) !== undefined;
  if (!isKnown) return html`<${Progress} label=${t("nav.loading")} />`;
  return html`<div class="house-page"><${SimulatedHouse} /><${Homes} /><${Devices} /></div>`;
}

/** A longer list of devices is drawn as a virtual list. */
const FEW = 24;
const ROW_HEIGHT = 76;

/** Devices that dialled in: voice boxes and whatever else brings tools over a socket. */
function Devices(): VNode {
  const all = useStore(servers);
  const devices = useMemo(() => all.filter(({ kind }) => kind === "device"), [all]);
  return html`<section class="stack" aria-labelledby="devices-title">
    <h2 id="devices-title">${t("house.devices")}</h2>
    ${devices.length > 0 ? html`<${DeviceList} devices=${devices} />` : html`<${NoDevices} />`}
  </section>`;
}

function DeviceList({ devices }: { devices: readonly ServerLive[] }): VNode {
  const draw = (device: ServerLive): VNode => html`<${Device} device=${device} />`;
  if (devices.length <= FEW) {
    return html`<ul class="house-devices">${devices.map((device) => html`<li key=${device.name} class="card">${draw(device)}</li>`)}</ul>`;
  }
  const keyOf = ({ name }: ServerLive): string => name;
  return html`<${VirtualList} class="house-device-list" rows=${devices} rowHeight=${ROW_HEIGHT} label=${t("house.devices")} keyOf=${keyOf} draw=${draw} />`;
}

function Device({ device }: { device: ServerLive }): VNode {
  const { name, state, silent, tools } = device;
  return html`<div class="house-device">
    <div>
      <strong>${name}</strong>
      <a href=${`${linkTo("tools")}?server=${encodeURIComponent(name)}`} aria-label=${t("house.toolsOf", { name, count: number(tools) })}>${t("house.tools", { count: number(tools) })}</a>
    </div>
    ${silent ? html`<${Badge} tone="warn">${t("house.silent")}</${Badge}>` : html`<${Badge} tone=${STATE_TONES[state]}>${t(`house.source.${state}`)}</${Badge}>`}
  </div>`;
}

function NoDevices(): VNode {
  return html`<${Empty} title=${t("house.noDevices")}>
    <p>${t("house.noDevicesHow")}</p>
    <${Snippet} text=${deviceAddress(location.href)} label=${t("house.deviceAddress")} />
    <p>${t("house.deviceKey")}</p>
    <${Snippet} text="zaguan key create NAME" label=${t("house.keyCommand")} />
  </${Empty}>`;
}
