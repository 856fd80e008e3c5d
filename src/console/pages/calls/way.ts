/** One call's way through the hub, drawn as bars under one another. */
import type { VNode } from "preact";
import type { CallDetail } from "../../../doors/live/views.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { barsOf, type WayBar } from "./waterfall.ts";

/** By the name that the pipeline gives it: what it is called here, and what it does. */
const STEPS: Readonly<Record<string, readonly [name: ConsoleKey, what: ConsoleKey]>> = {
  authorize: ["calls.step.authorize", "calls.step.authorize.what"],
  validate: ["calls.step.validate", "calls.step.validate.what"],
  rateLimit: ["calls.step.rateLimit", "calls.step.rateLimit.what"],
  cache: ["calls.step.cache", "calls.step.cache.what"],
  deadline: ["calls.step.deadline", "calls.step.deadline.what"],
  queue: ["calls.step.queue", "calls.step.queue.what"],
  retry: ["calls.step.retry", "calls.step.retry.what"],
  dispatch: ["calls.step.dispatch", "calls.step.dispatch.what"],
};

export function Way({ call, totalMs }: { call: CallDetail; totalMs: number }): VNode {
  if (call.steps.length === 0) return html`<p class="muted">${t("calls.way.none")}</p>`;
  const isUnderWay = call.state !== "ended";
  const bars = barsOf(call, totalMs);
  return html`<div class="way">
    <p class="way-scale" aria-hidden="true"><span>0</span><span>${span(totalMs)}</span></p>
    <ol class="way-steps">
      ${bars.map((bar, place) => html`<${Bar} key=${place} bar=${bar} isOpen=${isUnderWay && place === bars.length - 1} />`)}
    </ol>
  </div>`;
}

function Bar({ bar, isOpen }: { bar: WayBar; isOpen: boolean }): VNode {
  const [name, what] = wordsOf(bar);
  return html`<li class="way-step" data-kind=${bar.kind} data-open=${isOpen}>
    <span class="way-name">${name}</span>
    <span class="way-time">${span(bar.ms)}</span>
    ${what !== "" && html`<span class="way-what">${what}</span>`}
    <span class="way-line" aria-hidden="true">
      <span class="way-bar" style=${{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}></span>
    </span>
  </li>`;
}

function wordsOf({ kind, name, attempt }: WayBar): readonly [name: string, what: string] {
  if (kind === "attempt") return [t("calls.way.attempt", { count: attempt }), ""];
  if (kind === "pause") return [t("calls.way.pause", { count: attempt }), ""];
  const known = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  return known ? [t(known[0]), t(known[1])] : [name, ""];
}
