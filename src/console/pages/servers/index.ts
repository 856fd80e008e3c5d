/** The page "servers": the list of all, the view of one, and adding. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { useRoute } from "../../kit/router.ts";
import { t } from "../../kit/words.ts";
import { AddServer } from "./add.ts";
import { ServerList } from "./list.ts";
import { OneServer } from "./one.ts";
import { type View, viewOf } from "./route.ts";

export function ServersPage(): VNode {
  const { parts, query } = useRoute();
  const view = viewOf(parts, query);
  const place = useRef<HTMLDivElement>(null);
  useFocusOnChange(place, view.kind === "one" ? `one ${view.name}` : view.kind);
  useEffect(() => {
    document.title = titleOf(view);
  }, [titleOf(view)]);
  return html`<div ref=${place} tabindex="-1" class="servers">${shownOf(view, query)}</div>`;
}

function shownOf(view: View, query: URLSearchParams): VNode {
  if (view.kind === "add") return html`<${AddServer} way=${view.way} />`;
  return view.kind === "one"
    ? html`<${OneServer} key=${view.name} name=${view.name} />`
    : html`<${ServerList} query=${query} />`;
}

/** What was pressed is gone with the view that it stood in: who cannot see goes on at the beginning of the next. */
function useFocusOnChange(place: { readonly current: HTMLElement | null }, view: string): void {
  const last = useRef(view);
  useEffect(() => {
    if (last.current === view) return;
    last.current = view;
    place.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view]);
}

function titleOf(view: View): string {
  const title = view.kind === "one" ? view.name : view.kind === "add" ? t("servers.add") : undefined;
  return [title, t("nav.servers"), "Zaguan"].filter(Boolean).join(" · ");
}
