/** Adding servers, in one of three ways. What was begun in one is not lost by a look at another. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Empty } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { AddByForm } from "./add-form.ts";
import { AddByOpenApi } from "./add-openapi.ts";
import { AddByPaste } from "./add-paste.ts";
import { addLink, WAYS, type Way } from "./route.ts";

const FORMS = { form: AddByForm, paste: AddByPaste, openapi: AddByOpenApi } as const;

export function AddServer({ way }: { way: Way }): VNode {
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
