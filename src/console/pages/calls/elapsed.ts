/** How long a call has been under way. One timer moves all of them, and only while there are any. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Store, useStore } from "../../kit/store.ts";

const TICK_MS = 250;

/** The page's own clock, as of the last tick. */
export const ticks: Store<number> = new Store(0);
let wanted = 0;
let timer: ReturnType<typeof setInterval> | undefined;

export function useTicks(isWanted: boolean): void {
  useEffect(() => (isWanted ? wantTicks() : undefined), [isWanted]);
}

function wantTicks(): () => void {
  wanted++;
  tick();
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    if (--wanted > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  ticks.set(performance.now());
}

export function Elapsed({ began }: { began: number }): VNode {
  const now = useStore(ticks);
  return html`<span>${span(Math.max(0, now - began))}</span>`;
}
