/** Small things that every page is made of. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SourceState } from "../../core/events.ts";
import { type Problem, toProblem } from "./api.ts";
import { type Children, html } from "./html.ts";
import { Store, useStore } from "./store.ts";
import { t } from "./words.ts";

export type Tone = "good" | "bad" | "busy" | "quiet" | "warn";

/** The colour of each state of a source. */
export const STATE_TONES: Readonly<Record<SourceState, Tone>> = {
  idle: "quiet",
  starting: "busy",
  installing: "busy",
  ready: "good",
  waiting: "warn",
  broken: "bad",
  closed: "quiet",
};

export function Badge({ tone, children }: { tone: Tone; children?: Children }): VNode {
  return html`<span class="badge" data-tone=${tone}>${children}</span>`;
}

/** Says that a list is empty, why, and what to do next. */
export function Empty({ title, children }: { title: string; children?: Children }): VNode {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;
}

/** A problem: what happened, and a button to try again. */
export function ProblemBox({ problem, retry }: { problem: Problem; retry?: (() => void) | undefined }): VNode {
  const errors = problem.body.errors ?? [];
  return html`<div class="problem" role="alert">
    <p><strong>${problem.body.title ?? t("problem.title")}</strong></p>
    ${problem.status !== 0 && problem.message !== problem.body.title && html`<p>${problem.message}</p>`}
    ${errors.length > 1 && html`<ul>${errors.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}</ul>`}
    ${problem.status === 0 && html`<p>${t("problem.unreachable")}</p>`}
    ${retry && html`<button type="button" class="button" onClick=${retry}>${t("problem.retry")}</button>`}
  </div>`;
}

/** Long work that says how far it is, where that is known. */
export function Progress({ label, value }: { label: string; value?: number | undefined }): VNode {
  return html`<div class="progress" role="status">
    <span>${label}</span>
    ${value === undefined ? html`<progress aria-label=${label}></progress>` : html`<progress aria-label=${label} max="1" value=${value}></progress>`}
  </div>`;
}

/**
 * A button that cannot be pressed twice while its work is under way; what goes wrong is shown by `failed` or a toast. It is
 * not `disabled` meanwhile: that would take the focus away from who pressed it.
 */
export function WorkButton(props: {
  work: () => Promise<unknown>;
  failed?: ((problem: Problem) => void) | undefined;
  class?: string | undefined;
  disabled?: boolean | undefined;
  children?: Children;
}): VNode {
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await props.work();
    } catch (cause) {
      const problem = toProblem(cause);
      if (props.failed) props.failed(problem);
      else toast(problem.message, "bad");
    } finally {
      setBusy(false);
    }
  };
  return html`<button
    type="button"
    class=${props.class ?? "button"}
    disabled=${props.disabled}
    aria-disabled=${busy}
    aria-busy=${busy}
    onClick=${run}
  >${props.children}</button>`;
}

/** A label, what is asked for, what helps, and what was wrong with it. The control gets `id` and `describedBy`. */
export function Field(props: {
  id: string;
  label: string;
  help?: string | undefined;
  wrong?: string | undefined;
  children?: Children;
}): VNode {
  const { id, label, help, wrong, children } = props;
  return html`<div class="field" data-wrong=${wrong !== undefined}>
    <label for=${id}>${label}</label>
    ${children}
    ${help && html`<p class="help" id=${`${id}-help`}>${help}</p>`}
    ${wrong && html`<p class="wrong" id=${`${id}-wrong`}>${wrong}</p>`}
  </div>`;
}

/** A field that only searches: its label is its own text. */
export function Search(props: { label: string; value: string; set: (text: string) => void }): VNode {
  const { label, value, set } = props;
  return html`<input
    type="search"
    aria-label=${label}
    placeholder=${label}
    autocomplete="off"
    spellcheck="false"
    value=${value}
    onInput=${(event: Event) => set(valueIn(event))}
  />`;
}

/** The value of the field that an event comes from. */
export function valueIn(event: Event): string {
  return (event.target as HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement).value;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const SHOWN_MS = 6_000;
const toasts: Store<readonly Toast[]> = new Store([]);
let made = 0;

/** A line that says what just happened and goes away by itself; screen readers hear it. */
export function toast(text: string, tone: Toast["tone"] = "good"): void {
  const id = ++made;
  toasts.change((shown) => [...shown, { id, text, tone }]);
  setTimeout(() => toasts.change((shown) => shown.filter((one) => one.id !== id)), SHOWN_MS);
}

export function Toasts(): VNode {
  const shown = useStore(toasts);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${shown.map(({ id, text, tone }) => html`<p key=${id} class="toast" data-tone=${tone}>${text}</p>`)}
  </div>`;
}
