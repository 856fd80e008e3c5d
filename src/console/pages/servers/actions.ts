/** What can be done with a server; and of what cannot, why. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { rest, send } from "../../kit/api.ts";
import { Confirm } from "../../kit/dialog.ts";
import { html } from "../../kit/html.ts";
import { me, servers } from "../../kit/live.ts";
import { ProblemBox } from "../../kit/parts.ts";
import { type Problem, toProblem } from "../../kit/problem.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { toast } from "../../kit/toast.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { removalOf, removing } from "./removal.ts";
import { goTo } from "./route.ts";
import type { ServerRecord } from "./types.ts";
import { begin, type WorkKind } from "./work.ts";

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
