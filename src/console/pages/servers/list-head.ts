/** Above the list: searching, choosing a state, adding; what is looked for stands in the address too. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { valueIn } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { addLink } from "./route.ts";
import { isWanted, type ServerRow, WANTED, type Wanted } from "./rows.ts";

interface ListHeadProps {
  readonly rows: readonly ServerRow[];
  readonly search: string;
  readonly setSearch: (search: string) => void;
  readonly wanted: Wanted;
  readonly setWanted: (wanted: Wanted) => void;
}

export function ListHead({ rows, search, setSearch, wanted, setWanted }: ListHeadProps): VNode {
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
        onInput=${(event: Event) => setSearch(valueIn(event))}
      />
    </div>
    <div class="field">
      <label for="servers-state">${t("servers.filter")}</label>
      <select
        id="servers-state"
        value=${wanted}
        onChange=${(event: Event) => setWanted(valueIn(event) as Wanted)}
      >
        ${WANTED.map((each) => html`<option key=${each} value=${each}>${`${t(`servers.wanted.${each}`)} (${number(counts.get(each) ?? 0)})`}</option>`)}
      </select>
    </div>
    ${admin ? html`<a class="button primary" href=${addLink("form")}>${t("servers.add")}</a>` : html`<span class="muted">${t("servers.adminOnly")}</span>`}
  </div>`;
}

/** What is looked for: as the address says when one comes here, and the address says what it becomes. */
export function useAsked(query: URLSearchParams): Pick<ListHeadProps, "search" | "setSearch" | "wanted" | "setWanted"> {
  const [search, setSearch] = useState("");
  const [wanted, setWanted] = useState<Wanted>("all");
  useLayoutEffect(() => {
    setSearch(query.get("search") ?? "");
    setWanted(WANTED.find((known) => known === query.get("state")) ?? "all");
  }, [query]);
  useEffect(() => rememberInAddress(search, wanted), [search, wanted]);
  return { search, setSearch, wanted, setWanted };
}

/** So that "back" leads to the same list. Not by the router: the page stays where it is. */
function rememberInAddress(search: string, wanted: Wanted): void {
  const asked = new URLSearchParams();
  if (search !== "") asked.set("search", search);
  if (wanted !== "all") asked.set("state", wanted);
  history.replaceState(null, "", `${linkTo("servers")}${asked.size > 0 ? `?${asked}` : ""}`);
}
