/** What can be done with a server; and of what cannot, why. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Problem, rest, send, toProblem } from "../../kit/api.ts";
import { Confirm } from "../../kit/dialog.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { me, servers } from "../../kit/live.ts";
import { ProblemBox, toast } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { goTo } from "./route.ts";
import type { ServerRecord } from "./rows.ts";
import { toolsText } from "./state.ts";
import { Waiting } from "./use-try.ts";
import { begin, type Outcome, removalOf, removing, type Work, type WorkKind, works } from "./work.ts";

export function Actions({ record, busy }: { record: ServerRecord; busy: boolean }): VNode {
  const admin = useStore(me)?.admin ?? false;
  const removal = removalOf(record.name, record.origin, useIsImported(record));
  const does = (kind: WorkKind): VNode => html`<button
    type="button"
    class="button"
    disabled=${!admin}
    aria-disabled=${busy}
    aria-describedby=${admin ? undefined : "servers-no-change"}
    onClick=${() => !busy && void begin(record.name, kind)}
  >${t(`servers.do.${kind}`)}</button>`;
  return html`<div class="servers-actions">
    <div class="row">
      ${does("restart")}
      ${does("discover")}
      ${does("refresh")}
      <span class="grow"></span>
      ${"path" in removal && admin ? html`<${Remove} name=${record.name} path=${removal.path} />` : html`<button type="button" class="button danger" disabled aria-describedby=${admin ? "servers-no-remove" : "servers-no-change"}>${t("servers.remove")}</button>`}
    </div>
    ${admin ? html`<p class="muted servers-small">${t("servers.do.help")}</p>` : html`<p class="muted servers-small" id="servers-no-change">${t("servers.adminOnly")}</p>`}
    ${"why" in removal && admin && html`<p class="muted servers-small" id="servers-no-remove">${t(`servers.no.remove.${removal.why}`, { name: record.name })}</p>`}
  </div>`;
}

function Remove({ name, path }: { name: string; path: string }): VNode {
  const [asks, setAsks] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const remove = async (): Promise<void> => {
    setAsks(false);
    removing.add(name);
    try {
      await send("DELETE", path);
      toast(t("servers.removed", { name }));
      goTo(linkTo("servers"));
      // The hub says so too, in a moment: the list must not show it until then.
      servers.change((known) => known.filter((server) => server.name !== name));
    } catch (cause) {
      setProblem(toProblem(cause));
    } finally {
      removing.delete(name);
    }
  };
  return html`<button type="button" class="button danger" onClick=${() => setAsks(true)}>${t("servers.remove")}</button>
    ${problem && html`<div class="servers-whole"><${ProblemBox} problem=${problem} /></div>`}
    ${
      asks &&
      html`<${Confirm}
      title=${t("servers.remove.title", { name })}
      text=${t("servers.remove.text")}
      action=${t("servers.remove")}
      confirm=${remove}
      close=${() => setAsks(false)}
    />`
    }`;
}

/** Not every API came as a document. */
function useIsImported({ name, origin }: ServerRecord): boolean {
  const { limited = true } = useStore(me) ?? {};
  const asked = useLoad(
    async (signal) => (origin === "api" && !limited ? rest.listApis({}, signal) : []),
    [name, origin, limited],
  );
  return asked.value?.some((api) => api.name === name) ?? false;
}

/** What a server was asked to do: under way, or what came of it. */
export function useWork(name: string): Work | undefined {
  return useStore(works, (all) => all.get(name));
}

export function WorkView({ work }: { work: Work | undefined }): VNode | null {
  if (!work) return null;
  const { kind, since, outcome } = work;
  return outcome
    ? html`<${OutcomeView} outcome=${outcome} />`
    : html`<${Waiting} label=${t(`servers.doing.${kind}`)} since=${since} />`;
}

function OutcomeView({ outcome }: { outcome: Outcome }): VNode {
  if (outcome.kind === "failed") return html`<${ProblemBox} problem=${outcome.problem} />`;
  const isGood = outcome.kind === "tools" || outcome.state === "ready";
  return html`<p class="servers-notice" role="status" data-tone=${isGood ? "good" : "warn"}>${outcomeText(outcome)}</p>`;
}

function outcomeText(outcome: Exclude<Outcome, { kind: "failed" }>): string {
  if (outcome.kind === "tools") return toolsOutcome(outcome.count, outcome.added, outcome.gone);
  if (outcome.state === "ready") return t("servers.restarted");
  const state = t(`servers.state.${outcome.state}`);
  return [t("servers.restarted.not", { state }), outcome.lastError].filter(Boolean).join(" ");
}

function toolsOutcome(count: number, added: readonly string[], gone: readonly string[]): string {
  if (added.length + gone.length === 0) return t("servers.found.same", { tools: toolsText(count) });
  const counts = { added: number(added.length), gone: number(gone.length) };
  const text = t("servers.found.changed", { tools: toolsText(count), ...counts });
  // Of a server that is new every tool is; that needs no list.
  return gone.length === 0 && added.length === count ? text : `${text} ${namesText(added, gone)}`;
}

const NAMED = 8;

function namesText(added: readonly string[], gone: readonly string[]): string {
  const signed = [...added.map((name) => `+ ${name}`), ...gone.map((name) => `− ${name}`)];
  return signed.slice(0, NAMED).join(", ") + (signed.length > NAMED ? ", …" : "");
}
