/** One server: everything that is known of it, and what can be done with it. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Discovery } from "../../../contract/server.ts";
import type { ServerLive } from "../../../doors/live/views.ts";
import { Problem, rest } from "../../kit/api.ts";
import { CopyButton } from "../../kit/copy.ts";
import { dateTime, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me, servers } from "../../kit/live.ts";
import { Badge, Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { type Loaded, useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { Actions, useWork, WorkView } from "./actions.ts";
import { Clashes } from "./clashes.ts";
import { ApiCard, Facts } from "./facts.ts";
import { Steps } from "./preview-view.ts";
import { keptRecord, type ServerRecord } from "./rows.ts";
import { StateBadge, stateMeaning, toolsText } from "./state.ts";
import { removing, type Work } from "./work.ts";

/** How often its log is looked at while somebody does. */
const LOOK_MS = 2_000;

export function OneServer({ name }: { name: string }): VNode {
  const loaded = useRecord(name);
  const { value, problem, reload } = loaded;
  return html`<div class="stack">
    <p class="servers-back"><a href=${linkTo("servers")}><span aria-hidden="true">←</span> ${t("servers.back")}</a></p>
    ${shown(name, value, problem?.status === 404, loaded.loading)}
    ${problem && problem.status !== 404 && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
  </div>`;
}

function shown(name: string, record: ServerRecord | undefined, isMissing: boolean, loading: boolean): VNode | false {
  if (isMissing)
    return html`<${Empty} title=${t("servers.missing.title", { name })}><p>${t("servers.missing.text")}</p></${Empty}>`;
  if (record) return html`<${Shown} record=${record} />`;
  return loading && html`<${Progress} label=${t("nav.loading")} />`;
}

function Shown({ record }: { record: ServerRecord }): VNode {
  const { name } = record;
  const live = useLive(record);
  const work = useWork(name);
  const limited = useStore(me)?.limited;
  return html`<header class="servers-head">
      <h2>${record.title}</h2>
      <${StateBadge} state=${live.state} silent=${live.silent} />
      <p class="muted">${stateMeaning(live)}</p>
    </header>
    <${Actions} record=${record} busy=${work !== undefined && work.outcome === undefined} />
    <${WorkView} work=${work} />
    ${note(live, work?.outcome?.kind === "failed")}
    <${Clashes} of=${name} />
    <${Facts} record=${record} live=${live} />
    ${record.origin === "api" && html`<${ApiCard} name=${name} />`}
    ${limited === false && html`<${LogTail} lines=${record.log} />`}
    <${DiscoveryLog} name=${name} work=${work} />`;
}

/** What it says while it starts, else what went wrong last, unless that is told already. */
function note({ progress, lastError }: ServerLive, isTold: boolean): VNode | false {
  if (progress !== null)
    return html`<div class="servers-notice"><strong>${t("servers.progress")}</strong> ${progress}</div>`;
  return (
    lastError !== null &&
    !isTold &&
    html`<div class="servers-notice" data-tone="bad"><strong>${t("servers.lastError")}</strong> ${lastError}</div>`
  );
}

/** Looked at again and again while it is shown, and at once when the hub tells of it. */
function useRecord(name: string): Loaded<ServerRecord> {
  const live = useStore(servers, (all) => all.find((one) => one.name === name));
  const work = useWork(name);
  const wasLive = useRef(false);
  const last = useRef<ServerRecord | undefined>(undefined);
  wasLive.current ||= live !== undefined;
  const load = async (signal: AbortSignal): Promise<ServerRecord> => {
    // It was attached and is not any more: the hub has just said so.
    if (wasLive.current && !live) throw new Problem(404, {});
    if (removing.has(name) && last.current) return last.current;
    last.current = keptRecord(await rest.getServer({ id: name }, signal));
    return last.current;
  };
  const loaded = useLoad(load, [name, live, work]);
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return loaded;
}

/** The hub's live word, or for one that is not attached, what is kept. */
function useLive(record: ServerRecord): ServerLive {
  const live = useStore(servers, (all) => all.find(({ name }) => name === record.name));
  return live ? { ...live, lastError: live.lastError ?? record.lastError } : { ...record, silent: false, isMcp: false };
}

/** Scrolled so near to the end counts as at the end: browsers scroll by fractions of a pixel. */
const NEAR_PX = 8;

/** The end of what a server wrote: it stays at the last line, unless somebody reads further up. */
function LogTail({ lines }: { lines: readonly string[] }): VNode {
  const text = lines.join("\n");
  const frame = useRef<HTMLPreElement>(null);
  const [follows, setFollows] = useState(true);
  const toEnd = (): void => frame.current?.scrollTo({ top: frame.current.scrollHeight });
  useLayoutEffect(() => {
    if (follows) toEnd();
  }, [text, follows]);
  const look = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { currentTarget: HTMLElement }): void =>
    setFollows(scrollTop + clientHeight >= scrollHeight - NEAR_PX);
  return html`<section class="card" aria-labelledby="servers-log">
    <div class="row">
      <h3 id="servers-log">${t("servers.log")}</h3>
      <span class="muted">${t("servers.log.live")}</span>
      <span class="grow"></span>
      ${!follows && html`<button type="button" class="button small" onClick=${() => setFollows(true)}>${t("servers.log.end")}</button>`}
      ${lines.length > 0 && html`<${CopyButton} text=${text} />`}
    </div>
    ${lines.length === 0 ? html`<p class="muted">${t("servers.log.none")}</p>` : html`<pre ref=${frame} class="servers-log" tabindex="0" role="log" aria-live="off" aria-labelledby="servers-log" onScroll=${look}>${text}</pre>`}
  </section>`;
}

/** How the hub looked for a server's tools, the last times: what it tried, and what came of it. */
function DiscoveryLog({ name, work }: { name: string; work: Work | undefined }): VNode | null {
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
