/** What one looks for among the tools. */
import type { VNode } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import { valueIn } from "../../kit/parts.ts";
import { type Route, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { addressOf, queryIn, type ToolsQuery } from "./list-query.ts";
import { lastList } from "./use-tool-pages.ts";

interface SearchProps {
  readonly query: ToolsQuery;
  readonly change: (query: ToolsQuery) => void;
}

export function SearchBar({ query, change }: SearchProps): VNode {
  const id = useId();
  return html`<div class="tool-search" role="search">
    <div class="field">
      <label for=${id}>${t("tools.list.search")}</label>
      <input
        id=${id}
        type="search"
        autocomplete="off"
        spellcheck=${false}
        maxlength="200"
        placeholder=${t("tools.list.placeholder")}
        value=${query.search}
        onInput=${(event: Event) => change({ ...query, search: valueIn(event) })}
      />
    </div>
    <${ServerChoice} query=${query} change=${change} />
    <label class="check">
      <input type="checkbox" checked=${query.missing} onChange=${() => change({ ...query, missing: !query.missing })} /> ${t("tools.list.missing")}
    </label>
  </div>`;
}

/** One that is asked for by its address is there even if nobody knows it. */
function ServerChoice({ query, change }: SearchProps): VNode {
  const id = useId();
  const known = useStore(servers);
  const names = useMemo(() => {
    const all = new Set([...known.map(({ name }) => name), ...(query.server === "" ? [] : [query.server])]);
    return [...all].sort((one, other) => one.localeCompare(other));
  }, [known, query.server]);
  return html`<div class="field">
    <label for=${id}>${t("tools.list.server")}</label>
    <select id=${id} value=${query.server} onChange=${(event: Event) => change({ ...query, server: valueIn(event) })}>
      <option value="">${t("tools.list.allServers")}</option>
      ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>
  </div>`;
}

/** What is looked for, in step with the address: without a step in the history for each letter that is typed. */
export function useQuery(): readonly [ToolsQuery, (query: ToolsQuery) => void] {
  const route = useRoute();
  const [query, setQuery] = useState(() => ofRoute(route));
  useEffect(() => setQuery(ofRoute(route)), [route]);
  useEffect(() => {
    lastList.address = addressOf(query);
  }, [query]);
  const change = (next: ToolsQuery): void => {
    setQuery(next);
    history.replaceState(null, "", addressOf(next));
  };
  return [query, change];
}

/** `#/tools/SERVER` is the list of that server. */
function ofRoute({ parts, query }: Route): ToolsQuery {
  const asked = queryIn(query);
  return parts[0] ? { ...asked, server: parts[0] } : asked;
}
