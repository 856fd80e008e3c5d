/** Every Home Assistant that is attached, area by area. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { AreaView, HomeView } from "../../../doors/live/views.ts";
import { Snippet } from "../../kit/copy.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { homes, me, servers } from "../../kit/live.ts";
import { Badge, Empty } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { AreaCard } from "./area-card.ts";
import { matching, openAtFirst } from "./entities.ts";
import { HOME_ASSISTANT_PIECE } from "./snippets.ts";
import { STATE_TONES } from "./state-tones.ts";

/** So many are found by looking. */
const FILTERED_FROM = 20;

export function Homes(): VNode {
  const known = useStore(homes);
  return html`<section class="stack" aria-labelledby="homes-title">
    <h2 id="homes-title">Home Assistant</h2>
    ${known.length > 0 ? known.map((home) => html`<${Home} key=${home.name} home=${home} />`) : html`<${NoHomes} />`}
  </section>`;
}

function Home({ home }: { home: HomeView }): VNode {
  const { name, state, areas, more } = home;
  const [filter, setFilter] = useState("");
  const count = areas.reduce((sum, { entities }) => sum + entities.length, 0);
  const shown = useMemo(() => matching(areas, filter), [areas, filter]);
  const id = `filter-${name}`;
  return html`<article class="stack" aria-label=${name}>
    <div class="row">
      <h3>${name}</h3>
      <${Badge} tone=${STATE_TONES[state]}>${t(`house.source.${state}`)}</${Badge}>
      <span class="grow"></span>
      ${
        count >= FILTERED_FROM &&
        html`<label class="hidden-text" for=${id}>${t("house.filter")}</label>
          <input id=${id} class="house-filter" type="search" placeholder=${t("house.filter")} value=${filter} onInput=${(event: Event) => setFilter((event.target as HTMLInputElement).value)} />`
      }
    </div>
    ${state !== "ready" && html`<${Away} name=${name} />`}
    ${state === "ready" && count === 0 && html`<${Empty} title=${t("house.noEntities")} />`}
    ${filter !== "" && shown.length === 0 && html`<p role="status">${t("house.notFound", { text: filter })}</p>`}
    <${Areas} home=${home} shown=${shown} isFiltered=${filter.trim() !== ""} />
    ${more > 0 && html`<p class="muted">${t("house.more", { count: number(more) })}</p>`}
  </article>`;
}

function Areas({
  home,
  shown,
  isFiltered,
}: {
  home: HomeView;
  shown: readonly AreaView[];
  isFiltered: boolean;
}): VNode {
  const [chosen, setChosen] = useState<ReadonlyMap<string | null, boolean>>(new Map());
  const first = useMemo(() => openAtFirst(home.areas), [home.areas]);
  const isOpen = (area: string | null): boolean => isFiltered || (chosen.get(area) ?? first.has(area));
  const toggle = (area: string | null): void => setChosen(new Map(chosen).set(area, !isOpen(area)));
  return html`<div class="house-areas">
    ${shown.map((area) => html`<${AreaCard} key=${area.id ?? ""} home=${home.name} area=${area} isOpen=${isOpen(area.id)} isAway=${home.state !== "ready"} toggle=${() => toggle(area.id)} />`)}
  </div>`;
}

/** It is looked for all the time: what there is to do is at the other end. */
function Away({ name }: { name: string }): VNode {
  const why = useStore(servers, (all) => all.find((server) => server.name === name)?.lastError);
  return html`<div class="empty" role="status">
    <p class="empty-title">${t("house.away")}</p>
    <p>${t("house.awayHow")}</p>
    ${why && html`<p><code>${why}</code></p>`}
  </div>`;
}

function NoHomes(): VNode {
  const isLimited = useStore(me)?.limited === true;
  if (isLimited) return html`<${Empty} title=${t("house.noHome")}><p>${t("house.noHomeForKey")}</p></${Empty}>`;
  return html`<${Empty} title=${t("house.noHome")}>
    <p>${t("house.noHomeHow")}</p>
    <${Snippet} text=${HOME_ASSISTANT_PIECE} label="zaguan.json: homeAssistant" />
  </${Empty}>`;
}
