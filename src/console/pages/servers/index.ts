/** The page "servers": the list of all, the view of one, and adding. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useArrival } from "../../kit/arrival.ts";
import { html } from "../../kit/html.ts";
import { useRoute } from "../../kit/router.ts";
import { useTitlePart } from "../../kit/title.ts";
import { t } from "../../kit/words.ts";
import { AddServer } from "./add.ts";
import { ServerList } from "./list.ts";
import { OneServer } from "./one.ts";
import { type View, viewOf } from "./route.ts";

export function ServersPage(): VNode {
  const { parts, query } = useRoute();
  const view = viewOf(parts, query);
  const place = useRef<HTMLDivElement>(null);
  useArrival(place, view.kind === "one" ? `one ${view.name}` : view.kind);
  useTitlePart(partOf(view));
  return html`<div ref=${place} tabindex="-1" class="servers">${shownOf(view, query)}</div>`;
}

function shownOf(view: View, query: URLSearchParams): VNode {
  if (view.kind === "add") return html`<${AddServer} way=${view.way} />`;
  return view.kind === "one"
    ? html`<${OneServer} key=${view.name} name=${view.name} />`
    : html`<${ServerList} query=${query} />`;
}

function partOf(view: View): string | undefined {
  if (view.kind === "one") return view.name;
  return view.kind === "add" ? t("servers.add") : undefined;
}
