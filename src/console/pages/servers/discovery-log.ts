/** How the hub looked for a server's tools, the last times: what it tried, and what came of it. */
import type { VNode } from "preact";
import type { Discovery } from "../../../contract/server.ts";
import { rest } from "../../kit/api.ts";
import { dateTime, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Badge, ProblemBox } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { toolsText } from "./row.ts";
import { Steps } from "./steps.ts";
import type { Work } from "./work.ts";

export function DiscoveryLog({ name, work }: { name: string; work: Work | undefined }): VNode | null {
  const limited = useStore(me)?.limited ?? true;
  const { value, problem, reload } = useLoad(
    async (signal) => (limited ? [] : rest.discoveryLog({ id: name }, signal)),
    [name, work?.outcome, limited],
  );
  if (limited) return null;
  return html`<section class="card" aria-labelledby="servers-discovery">
    <h3 id="servers-discovery">${t("servers.discovery")}</h3>
    ${problem && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
    ${value?.length === 0 && html`<p class="muted">${t("servers.discovery.none")}</p>`}
    ${value?.map((discovery, place) => html`<${Discovered} key=${discovery.startedUtc} discovery=${discovery} open=${place === 0 && !discovery.ok} />`)}
  </section>`;
}

function Discovered({ discovery, open }: { discovery: Discovery; open: boolean }): VNode {
  const { startedUtc, ms, ok, tools = 0, error, steps } = discovery;
  return html`<details class="servers-discovered" open=${open}>
    <summary>
      <${Badge} tone=${ok ? "good" : "bad"}>${t(ok ? "servers.discovery.ok" : "servers.discovery.failed")}</${Badge}>
      <span>${ok ? toolsText(tools) : error}</span>
      <span class="muted"><time datetime=${startedUtc}>${dateTime(startedUtc)}</time> · ${span(ms)}</span>
    </summary>
    <${Steps} steps=${steps} />
  </details>`;
}
