/** One call's way through the hub, drawn as bars on a common time line: where each step begins, and how long it takes. */
import type { VNode } from "preact";
import type { CallDetail } from "../../../doors/live/views.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";

/** The steps of the pipeline, by the names that it gives them. */
const STEPS = ["authorize", "validate", "rateLimit", "cache", "deadline", "queue", "retry", "dispatch"] as const;

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
  const known = STEPS.find((step) => step === name);
  return known ? [t(`calls.step.${known}`), t(`calls.step.${known}.what`)] : [name, ""];
}

interface WayBar {
  /** A step of the pipeline; of the last one, each attempt at the server and each pause before the next. */
  readonly kind: "step" | "attempt" | "pause";
  readonly name: string;
  /** Which attempt it is, or which one the pause is before; 0 for a step. */
  readonly attempt: number;
  readonly atMs: number;
  readonly ms: number;
  /** Shares of the whole time. */
  readonly left: number;
  readonly width: number;
}

type CallWay = Pick<CallDetail, "steps" | "retries">;
type Stretch = Pick<WayBar, "kind" | "name" | "attempt" | "atMs" | "ms">;

/** `totalMs` may be later than what was told: a call that is under way goes on while one looks. */
export function barsOf(way: CallWay, totalMs: number): readonly WayBar[] {
  const stretches = way.steps.flatMap((step, place): Stretch[] => {
    const isLast = place === way.steps.length - 1;
    const ms = isLast ? Math.max(step.ms, totalMs - step.atMs) : step.ms;
    const whole: Stretch = { kind: "step", name: step.name, attempt: 0, atMs: step.atMs, ms };
    return isLast ? [whole, ...attemptsIn(whole, way.retries)] : [whole];
  });
  const total = Math.max(totalMs, ...stretches.map(({ atMs, ms }) => atMs + ms));
  return stretches.map((stretch) => ({ ...stretch, ...placed(stretch, total) }));
}

/** The attempts and pauses within the last step; none for a call that was sent once. */
function attemptsIn({ name, atMs, ms }: Stretch, retries: CallWay["retries"]): Stretch[] {
  if (retries.length === 0) return [];
  const end = atMs + ms;
  const found: Stretch[] = [];
  let begun = atMs;
  for (const retry of retries) {
    found.push({ kind: "attempt", name, attempt: retry.attempt - 1, atMs: begun, ms: retry.atMs - begun });
    begun = Math.min(end, retry.atMs + retry.delayMs);
    found.push({ kind: "pause", name, attempt: retry.attempt, atMs: retry.atMs, ms: begun - retry.atMs });
  }
  const { attempt = 1 } = retries.at(-1) ?? {};
  return begun < end ? [...found, { kind: "attempt", name, attempt, atMs: begun, ms: end - begun }] : found;
}

function placed({ atMs, ms }: Stretch, total: number): Pick<WayBar, "left" | "width"> {
  if (total <= 0) return { left: 0, width: 0 };
  const left = Math.min(1, Math.max(0, atMs / total));
  return { left, width: Math.min(1 - left, Math.max(0, ms / total)) };
}
