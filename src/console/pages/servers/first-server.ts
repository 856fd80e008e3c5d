/** Nothing is attached but the house: what to add first. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { addLink, WAYS } from "./route.ts";

export function FirstServer(): VNode | null {
  const self = useStore(me);
  if (!self?.admin) return null;
  return html`<section class="stack servers-first" aria-labelledby="servers-first">
    <div>
      <h2 id="servers-first">${t("servers.first.title")}</h2>
      <p class="muted">${t("servers.first.text")}</p>
    </div>
    <ul class="columns servers-ways">
      ${WAYS.map(
        (way) => html`<li key=${way} class="card">
          <h3><a href=${addLink(way)}>${t(`servers.first.${way}`)}</a></h3>
          <p class="muted">${t(`servers.way.${way}`)}</p>
        </li>`,
      )}
    </ul>
  </section>`;
}
