/** The page "servers": the list of all, the view of one, and adding. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Empty } from "../../kit/parts.ts";
import { linkTo, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useArrival, useTitlePart } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { AddByForm } from "./add-form.ts";
import { AddByOpenApi } from "./add-openapi.ts";
import { AddByPaste } from "./add-paste.ts";
import { ServerList } from "./list.ts";
import { OneServer } from "./one.ts";
import { addLink, type View, viewOf, WAYS, type Way } from "./route.ts";
import { useKinds } from "./state.ts";

export function ServersPage(): VNode {
  const { parts, query } = useRoute();
  const view = viewOf(parts, query);
  useKinds();
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

const FORMS = { form: AddByForm, paste: AddByPaste, openapi: AddByOpenApi } as const;

/** Adding servers, in one of three ways. What was begun in one is not lost by a look at another. */
function AddServer({ way }: { way: Way }): VNode {
  const self = useStore(me);
  return html`<div class="stack">
    <p class="servers-back"><a href=${linkTo("servers")}><span aria-hidden="true">←</span> ${t("servers.back")}</a></p>
    <h2>${t("servers.add")}</h2>
    ${self?.admin === false ? html`<${Empty} title=${t("servers.adminOnly")} />` : html`<${Ways} way=${way} />`}
  </div>`;
}

function Ways({ way }: { way: Way }): VNode {
  return html`<nav class="tabs servers-tabs" aria-label=${t("servers.ways")}>
      ${WAYS.map((each) => html`<a key=${each} href=${addLink(each)} aria-current=${each === way ? "page" : undefined}>${t(`servers.tab.${each}`)}</a>`)}
    </nav>
    ${WAYS.map(
      (
        each,
      ) => html`<section key=${each} class="servers-way" hidden=${each !== way} aria-label=${t(`servers.tab.${each}`)}>
        <p class="muted">${t(`servers.way.${each}`)}</p>
        <${FORMS[each]} />
      </section>`,
    )}`;
}
