/** Whether the list moves, what has come meanwhile, and what could not be shown. */
import type { VNode } from "preact";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import type { FeedView } from "./use-feed.ts";

export function StatusBar(props: {
  view: FeedView;
  shown: number;
  release: () => void;
  /** Lets the list go and leads there: the button is gone then. */
  showNew: () => void;
}): VNode {
  const { view, shown, release, showNew } = props;
  const { feed, isPaused } = view;
  const { inFlight, running, skipped } = feed.live;
  const unseen = Math.max(0, inFlight - running.length);
  return html`<div class="call-status">
    <span role="status"><${Badge} tone=${feed.isHeld ? "warn" : "good"}>${t(wordOf(view))}</${Badge}></span>
    <button type="button" class="button small" onClick=${() => (isPaused ? release() : view.pause(true))}>
      ${isPaused ? t("calls.resume") : t("calls.pause")}
    </button>
    ${
      feed.isHeld &&
      html`<span>${t("calls.came", { count: number(feed.came) })}</span>
        ${!isPaused && feed.came > 0 && html`<button type="button" class="button small" onClick=${showNew}>${t("calls.showNew")}</button>`}`
    }
    <span class="grow"></span>
    <span class="muted">${t("calls.inFlight", { count: number(inFlight) })}</span>
    <span class="muted">${t("calls.shown", { count: number(shown), total: number(feed.rows.length) })}</span>
    ${unseen > 0 && html`<span class="muted">${t("calls.unseen", { count: number(unseen) })}</span>`}
    ${skipped > 0 && html`<span class="muted">${t("calls.skipped", { count: number(skipped) })}</span>`}
  </div>`;
}

function wordOf({ feed, isPaused }: FeedView): "calls.paused" | "calls.held" | "calls.following" {
  if (isPaused) return "calls.paused";
  return feed.isHeld ? "calls.held" : "calls.following";
}
