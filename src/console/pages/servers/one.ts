/** One server: everything that is known of it, and what can be done with it. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ServerLive } from "../../../doors/live/views.ts";
import { rest } from "../../kit/api.ts";
import { html } from "../../kit/html.ts";
import { me, servers } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { Problem } from "../../kit/problem.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { type Loaded, useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { Actions } from "./actions.ts";
import { ApiCard } from "./api-card.ts";
import { Clashes } from "./clashes.ts";
import { DiscoveryLog } from "./discovery-log.ts";
import { Facts } from "./facts.ts";
import { LogTail } from "./log-tail.ts";
import { removing } from "./removal.ts";
import { StateBadge, stateMeaning } from "./state.ts";
import { keptRecord, type ServerRecord } from "./types.ts";
import { useWork, WorkView } from "./work-view.ts";

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
    // The hub has just said so: there is no need to ask.
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
  return live ? { ...live, lastError: live.lastError ?? record.lastError } : { ...record, silent: false };
}
