/** A call that is under way: how long, how far, and the way to end it. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { number, span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Progress } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import type { Running } from "./use-call.ts";

const TICK_MS = 100;

export function RunningView({ running, cancel }: { running: Running; cancel: () => void }): VNode {
  const { progress, since } = running;
  const share = progress?.total ? Math.min(1, Math.max(0, progress.progress / progress.total)) : undefined;
  return html`<div class="stack running">
    <div class="row">
      <strong>${t("tools.run.running")}</strong>
      <${Elapsed} since=${since} />
      <span class="grow"></span>
      <button type="button" class="button danger" onClick=${cancel}>${t("tools.run.cancel")}</button>
    </div>
    ${running.asked ? html`<p role="status">${t("tools.run.asked")}</p>` : html`<${Progress} label=${progressText(running)} value=${share} />`}
  </div>`;
}

function progressText({ progress }: Running): string {
  if (!progress) return t("tools.run.waiting");
  const { progress: done, total, message } = progress;
  const far = total
    ? t("tools.run.stepOf", { done: number(done, 1), total: number(total, 1) })
    : t("tools.run.step", { done: number(done, 1) });
  return typeof message === "string" && message !== "" ? `${far}: ${message}` : far;
}

/** Apart from what is read out: nobody wants to hear every tenth of a second. */
function Elapsed({ since }: { since: number }): VNode {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return html`<span class="muted elapsed" aria-hidden="true">${span(Math.max(0, now - since))}</span>`;
}
