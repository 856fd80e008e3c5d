/** A line that says what just happened and goes away by itself; screen readers hear it. */
import type { VNode } from "preact";
import { html } from "./html.ts";
import { Store, useStore } from "./store.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const SHOWN_MS = 6_000;
const toasts: Store<readonly Toast[]> = new Store<readonly Toast[]>([]);
let made = 0;

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
