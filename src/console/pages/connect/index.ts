/** The page "connect": how each client gets in, with everything filled in. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { PrincipalView } from "../../../doors/live/views.ts";
import { Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { currentKey } from "../../kit/key.ts";
import { me } from "../../kit/live.ts";
import { Progress } from "../../kit/parts.ts";
import { linkTo, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useTitlePart } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { Chooser, type Chosen, type KeyChoice } from "./chooser.ts";
import { GuideParts } from "./guide.ts";
import { CLIENTS, type Client } from "./guides.ts";
import { baseIn, HUB, isLoopback, type Place, pageBase, type Target, targetIn, targetText } from "./place.ts";

const PLACEHOLDER = "YOUR_KEY";

export function ConnectPage(): VNode {
  const self = useStore(me);
  return self ? html`<${Connect} self=${self} />` : html`<${Progress} label=${t("nav.loading")} />`;
}

function Connect({ self }: { self: PrincipalView }): VNode {
  const { parts, query } = useRoute();
  const client = CLIENTS.find(({ id }) => id === parts[0]) ?? (CLIENTS[0] as Client);
  const target = targetIn(query.get("to"));
  useTitlePart(parts[0] && t(client.title));
  const [address, setAddress] = useState(() => pageBase(location.href));
  const [key, setKey] = useState<KeyChoice>(usualKey);
  const [keys, setKeys] = useState<Readonly<Record<string, string>>>({});
  const made = keys[targetText(target)];
  const chosen: Chosen = { address, target, key: key === "made" && made === undefined ? "placeholder" : key, made };
  const place = placeOf(chosen);
  const choose = (wanted: Target): void => {
    location.hash = addressOf(client.id, wanted);
  };
  const keep = (text: string): void => {
    setKeys({ ...keys, [targetText(target)]: text });
    setKey("made");
  };
  return html`<div class="stack">
    <${Chooser} chosen=${chosen} self=${self} client=${t(client.title)} setAddress=${setAddress} setTarget=${choose} setKey=${setKey} setMade=${keep} />
    <${Reach} base=${place.base} hasKey=${place.key !== undefined} />
    <div class="connect-page">
      <${ClientList} current=${client} target=${target} />
      <${OneGuide} key=${client.id} client=${client} place=${place} />
    </div>
  </div>`;
}

function ClientList({ current, target }: { current: Client; target: Target }): VNode {
  return html`<nav class="connect-clients" aria-label=${t("connect.clients")}>
    <ul>
      ${CLIENTS.map(
        (client) => html`<li key=${client.id}>
          <a href=${addressOf(client.id, target)} aria-current=${client === current ? "true" : undefined}>${t(client.title)}</a>
        </li>`,
      )}
    </ul>
  </nav>`;
}

function OneGuide({ client, place }: { client: Client; place: Place }): VNode {
  const { base, target, key } = place;
  const parts = useMemo(() => client.guide({ base, target, key }), [client, base, target.kind, target.name, key]);
  return html`<section class="card connect-guide" aria-labelledby="connect-client">
    <h2 id="connect-client">${t(client.title)}</h2>
    <${GuideParts} parts=${parts} />
  </section>`;
}

function addressOf(client: string, target: Target): string {
  const place = linkTo("connect", client);
  return target.kind === HUB.kind ? place : `${place}?to=${encodeURIComponent(targetText(target))}`;
}

function placeOf({ address, target, key, made }: Chosen): Place {
  const base = baseIn(address) ?? pageBase(location.href);
  const written = key === "made" ? made : PLACEHOLDER;
  return { base, target, key: key === "none" ? undefined : written };
}

/** On the hub's own machine nobody is asked for one, unless this page was. */
function usualKey(): KeyChoice {
  return isLoopback(pageBase(location.href)) && currentKey() === null ? "none" : "placeholder";
}

/** Who can reach the address that is shown, and what the others need. */
function Reach({ base, hasKey }: { base: string; hasKey: boolean }): VNode | null {
  if (isLoopback(base)) return html`<${OnlyHere} base=${base} />`;
  if (!hasKey) return html`<p class="connect-note">${t("connect.reach.needsKey")}</p>`;
  return base.startsWith("http:") ? html`<p class="connect-note">${t("connect.reach.plain")}</p>` : null;
}

function OnlyHere({ base }: { base: string }): VNode {
  const { host, port } = new URL(base);
  const command = `zaguan key create my-laptop\nzaguan serve --host 0.0.0.0${port === "3003" ? "" : ` --port ${port || 80}`}`;
  return html`<details class="connect-note">
    <summary>${t("connect.reach.onlyHere", { host })}</summary>
    <p>${t("connect.reach.others")}</p>
    <${Snippet} text=${command} label=${t("connect.reach.command")} />
    <p>${t("connect.reach.then")}</p>
  </details>`;
}
