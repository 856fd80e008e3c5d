/** The simulated house: its plan, its alarm, and who is in it. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { HouseView } from "../../../doors/live/views.ts";
import { Problem, send } from "../../kit/api.ts";
import { Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { house, me } from "../../kit/live.ts";
import { Empty, ProblemBox } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { FloorPlan } from "./floor-plan.ts";
import { Presence } from "./presence.ts";
import { HOUSE_PIECE, LAMPS_PIECE } from "./snippets.ts";
import { setAlarm, Toggle } from "./switch.ts";

export function SimulatedHouse(): VNode {
  const known = useStore(house);
  return html`<section class="stack" aria-labelledby="simulated-title">
    <h2 id="simulated-title">${t("house.simulated")}</h2>
    ${known ? html`<${House} house=${known} />` : html`<${NoHouse} />`}
  </section>`;
}

function House({ house }: { house: HouseView }): VNode {
  const [problem, setProblem] = useState<Problem>();
  const rights = useRights();
  const states = Object.values(house.lights);
  const on = states.filter(Boolean).length;
  const report = (name: string, problem: Problem | undefined): void =>
    setProblem(problem && titled(problem, t("house.lampFailed", { name })));
  return html`<div class="house-simulated">
    <div class="card house-card">
      ${states.length > 0 && html`<p class="muted house-count" role="status">${t("house.lampsOn", { on, all: states.length })}</p>`}
      <${FloorPlan} house=${house} report=${report} isFixed=${!rights.lamps} />
      ${!rights.lamps && html`<p class="muted">${t("house.lampsFixed")}</p>`}
      ${problem && html`<div class="house-problem"><${ProblemBox} problem=${problem} /></div>`}
      ${states.length === 0 && html`<${NoLamps} />`}
    </div>
    <div class="stack">
      <${Alarm} armed=${house.alarm} isFixed=${!rights.alarm} />
      <${Presence} presence=${house.presence} />
    </div>
  </div>`;
}

function Alarm({ armed, isFixed }: { armed: boolean; isFixed: boolean }): VNode {
  const [problem, report] = useState<Problem>();
  return html`<section class="card house-alarm" data-on=${armed} aria-labelledby="alarm-title">
    <div class="row">
      <h3 id="alarm-title" class="grow">${t("house.alarm")}</h3>
      <${Toggle} label=${t("house.alarm")} isOn=${armed} turn=${setAlarm} report=${report} disabled=${isFixed} words=${{ on: t("house.armed"), off: t("house.disarmed") }} />
    </div>
    ${isFixed && html`<p class="muted">${t("house.alarmFixed")}</p>`}
    ${problem && html`<${ProblemBox} problem=${titled(problem, t("house.alarmFailed"))} />`}
  </section>`;
}

function NoHouse(): VNode {
  const isLimited = useStore(me)?.limited === true;
  if (isLimited) return html`<${Empty} title=${t("house.none")}><p>${t("house.noneForKey")}</p></${Empty}>`;
  return html`<${Empty} title=${t("house.none")}>
    <p>${t("house.noneHow")}</p>
    <${Snippet} text=${HOUSE_PIECE} label="zaguan.json: devices" />
  </${Empty}>`;
}

function NoLamps(): VNode {
  return html`<${Empty} title=${t("house.noLamps")}>
    <p>${t("house.noLampsHow")}</p>
    <${Snippet} text=${LAMPS_PIECE} label="zaguan.json: devices" />
  </${Empty}>`;
}

/** Where no answer came, the browser's own words say nothing that helps. */
function titled({ status, message, body }: Problem, title: string): Problem {
  return new Problem(status, { ...body, title, detail: status === 0 ? title : message });
}

interface Rights {
  readonly lamps: boolean;
  readonly alarm: boolean;
}

interface Listed {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

const ALL: Rights = { lamps: true, alarm: true };

/**
 * Which switches the caller may use: a key for some tools only may look without touching. Everything, until it is known that it
 * is less: the hub has the last word anyway.
 */
function useRights(): Rights {
  const isLimited = useStore(me)?.limited === true;
  const { value } = useLoad(async (signal) => (isLimited ? readRights(signal) : ALL), [isLimited]);
  return value ?? ALL;
}

async function readRights(signal: AbortSignal): Promise<Rights> {
  const body = { jsonrpc: "2.0", id: 0, method: "tools/list" };
  const { result } = await send<Listed>("POST", "/mcp", { body, signal, headers: { accept: "application/json" } });
  const names = new Set(result?.tools?.map(({ name }) => name));
  // Where another server has the name, the house's tool is listed under its full one.
  const may = (tool: string): boolean => names.has(tool) || names.has(`house__${tool}`);
  return { lamps: may("set_light_state"), alarm: may("set_alarm_state") };
}
