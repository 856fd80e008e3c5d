/** An area of a home: closed it says how much is in it, open it shows that, a piece at a time. */
import type { VNode } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { AreaView } from "../../../doors/live/views.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { arranged, countOn } from "./entities.ts";
import { EntityRow } from "./entity-row.ts";

const PIECE = 40;
/** What is more takes the whole width, in columns. */
const ONE_COLUMN = 12;

interface AreaCardProps {
  readonly home: string;
  readonly area: AreaView;
  readonly isOpen: boolean;
  readonly isAway: boolean;
  readonly toggle: () => void;
}

export function AreaCard({ home, area, isOpen, isAway, toggle }: AreaCardProps): VNode {
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
