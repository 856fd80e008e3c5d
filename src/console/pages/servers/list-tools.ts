/** Above the list: searching, choosing a state, adding. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { addLink } from "./route.ts";
import { isWanted, type ServerRow, WANTED, type Wanted } from "./rows.ts";

export interface ListToolsProps {
  readonly rows: readonly ServerRow[];
  readonly search: string;
  readonly setSearch: (search: string) => void;
  readonly wanted: Wanted;
  readonly setWanted: (wanted: Wanted) => void;
}

export function ListTools({ rows, search, setSearch, wanted, setWanted }: ListToolsProps): VNode {
  const admin = useStore(me)?.admin ?? false;
  const counts = useMemo(
    () => new Map(WANTED.map((each) => [each, rows.filter((row) => isWanted(row, each)).length])),
    [rows],
  );
  return html`<div class="servers-tools" role="search">
    <div class="field">
      <label for="servers-search">${t("servers.search")}</label>
      <input
        id="servers-search"
        type="search"
        autocomplete="off"
        spellcheck=${false}
        placeholder=${t("servers.search.placeholder")}
        value=${search}
        onInput=${(event: Event) => setSearch((event.target as HTMLInputElement).value)}
      />
    </div>
    <div class="field">
      <label for="servers-state">${t("servers.filter")}</label>
      <select
        id="servers-state"
        value=${wanted}
        onChange=${(event: Event) => setWanted((event.target as HTMLSelectElement).value as Wanted)}
      >
        ${WANTED.map((each) => html`<option key=${each} value=${each}>${`${t(`servers.wanted.${each}`)} (${number(counts.get(each) ?? 0)})`}</option>`)}
      </select>
    </div>
    ${admin ? html`<a class="button primary" href=${addLink("form")}>${t("servers.add")}</a>` : html`<span class="muted">${t("servers.adminOnly")}</span>`}
  </div>`;
}
