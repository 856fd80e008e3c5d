/** Every Home Assistant that is attached, area by area, with the entities of each. */
import type { VNode } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { AreaView, EntityView, HomeView } from "../../../doors/live/views.ts";
import type { Problem } from "../../kit/api.ts";
import { Snippet } from "../../kit/copy.ts";
import { dateTime, number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { homes, me, servers } from "../../kit/live.ts";
import { Badge, Empty, STATE_TONES, valueIn } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { language, t } from "../../kit/words.ts";
import { arranged, countOn, isSwitchable, matching, openAtFirst, readingOf } from "./entities.ts";
import { HOME_ASSISTANT_PIECE } from "./snippets.ts";
import { setEntity, Toggle } from "./switch.ts";

/** Show a filter box once a home has more entities than fit on a screen. */
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
          <input id=${id} class="house-filter" type="search" placeholder=${t("house.filter")} value=${filter} onInput=${(event: Event) => setFilter(valueIn(event))} />`
      }
    </div>
    ${state !== "ready" && html`<${Away} name=${name} />`}
    ${state === "ready" && count === 0 && html`<${Empty} title=${t("house.noEntities")} />`}
    ${filter !== "" && shown.length === 0 && html`<p role="status">${t("house.notFound", { text: filter })}</p>`}
    <${Areas} home=${home} shown=${shown} isFiltered=${filter.trim() !== ""} />
    ${more > 0 && html`<p class="muted">${t("house.more", { count: number(more) })}</p>`}
  </article>`;
}

function Areas(props: { home: HomeView; shown: readonly AreaView[]; isFiltered: boolean }): VNode {
  const { home, shown, isFiltered } = props;
  const [chosen, setChosen] = useState<ReadonlyMap<string | null, boolean>>(new Map());
  const first = useMemo(() => openAtFirst(home.areas), [home.areas]);
  const isOpen = (area: string | null): boolean => isFiltered || (chosen.get(area) ?? first.has(area));
  const toggle = (area: string | null): void => setChosen(new Map(chosen).set(area, !isOpen(area)));
  return html`<div class="house-areas">
    ${shown.map((area) => html`<${AreaCard} key=${area.id ?? ""} home=${home.name} area=${area} isOpen=${isOpen(area.id)} isAway=${home.state !== "ready"} toggle=${() => toggle(area.id)} />`)}
  </div>`;
}

/** A home that cannot be reached. The hub keeps trying: what there is to do is at the other end. */
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

/** How many entities of an area are shown at first, and with each press of "more". */
const PIECE = 40;
/** An area with more entities takes the whole width, in columns. */
const ONE_COLUMN = 12;

interface AreaCardProps {
  readonly home: string;
  readonly area: AreaView;
  readonly isOpen: boolean;
  readonly isAway: boolean;
  readonly toggle: () => void;
}

/** An area of a home: closed it says how much is in it, open it shows that, a piece at a time. */
function AreaCard({ home, area, isOpen, isAway, toggle }: AreaCardProps): VNode {
  const id = useId();
  const { entities } = area;
  const on = useMemo(() => countOn(entities), [entities]);
  return html`<section class="card house-area" data-wide=${isOpen && entities.length > ONE_COLUMN}>
    <h4>
      <button type="button" aria-expanded=${isOpen} aria-controls=${id} onClick=${toggle}>
        <span class="arrow" aria-hidden="true"></span>
        <span class="grow">${area.name || t("house.noArea")}</span>
        <span class="muted">${t("house.inArea", { count: number(entities.length) })}${on > 0 && ` · ${t("house.onInArea", { count: number(on) })}`}</span>
      </button>
    </h4>
    <div id=${id} hidden=${!isOpen}>${isOpen && html`<${Entities} home=${home} area=${area} isAway=${isAway} />`}</div>
  </section>`;
}

function Entities({ home, area, isAway }: { home: string; area: AreaView; isAway: boolean }): VNode {
  const [most, setMost] = useState(PIECE);
  const all = useMemo(() => arranged(area.entities), [area.entities]);
  const left = all.length - most;
  return html`<ul class="house-entities">
      ${all.slice(0, most).map((entity) => html`<${EntityRow} key=${entity.id} home=${home} entity=${entity} isAway=${isAway} />`)}
    </ul>
    ${left > 0 && html`<button type="button" class="button small" onClick=${() => setMost(most + PIECE)}>${t("house.showMore", { count: number(left) })}</button>`}`;
}

interface EntityRowProps {
  readonly home: string;
  readonly entity: EntityView;
  readonly isAway: boolean;
}

/** One entity: switched where it can be, read otherwise. Drawn anew only when this very entity changed. */
function EntityRow({ home, entity, isAway }: EntityRowProps): VNode {
  const [problem, report] = useState<Problem>();
  const spoken = useStore(language);
  return useMemo(() => {
    const words = { on: t("house.state.on"), off: t("house.state.off") };
    const turn = (on: boolean): Promise<void> => setEntity(home, entity.id, on);
    return html`<li class="house-entity">
      <span class="name">${entity.name}</span>
      ${
        isSwitchable(entity)
          ? html`<${Toggle} label=${entity.name} isOn=${entity.state === "on"} turn=${turn} report=${report} words=${words} disabled=${isAway} />`
          : html`<span class="value">${said(entity)}</span>`
      }
      ${problem && html`<p class="problem" role="alert">${problem.status === 0 ? t("problem.unreachable") : problem.message}</p>`}
    </li>`;
  }, [home, entity, isAway, problem, spoken]);
}

function said(entity: EntityView): string {
  const reading = readingOf(entity);
  switch (reading.kind) {
    case "number":
      return [number(reading.value, reading.digits), reading.unit].filter(Boolean).join("\u00a0");
    case "moment":
      return dateTime(reading.utc);
    case "known":
      return t(`house.state.${reading.state}`);
    case "text":
      return reading.text;
  }
}
