/** What the list and the view of one call both show of a call: what became of it, how long it runs, a button to end it. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallRow } from "../../../doors/live/views.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { type Problem, rest, toProblem } from "../../kit/api.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { type Tone, toast } from "../../kit/parts.ts";
import { Store, useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";

type Told = Pick<CallRow, "state" | "outcome">;

/** How a call is named in addresses: in a cluster, numbers count on one node alone. */
export function callKey({ id, node }: Pick<CallRow, "id" | "node">): number | string {
  return node === undefined ? id : `${node}-${id}`;
}

/** A code that is not here is shown as it is. */
const WORDS: Readonly<Record<string, ConsoleKey>> = {
  ok: "calls.outcome.ok",
  "tool-failed": "calls.outcome.toolFailed",
  ANSWER_TOO_LARGE: "calls.outcome.large",
  CANCELLED: "calls.outcome.cancelled",
  DEADLINE_EXCEEDED: "calls.outcome.deadline",
  INTERNAL: "calls.outcome.internal",
  INVALID_ARGUMENT: "calls.outcome.arguments",
  INVALID_PARAMS: "calls.outcome.arguments",
  NO_CAPACITY: "calls.outcome.busy",
  OUTCOME_UNKNOWN: "calls.outcome.unknown",
  QUEUE_TIMEOUT: "calls.outcome.queue",
  RATE_LIMITED: "calls.outcome.rate",
  SOURCE_ERROR: "calls.outcome.error",
  SOURCE_STARTING: "calls.outcome.starting",
  SOURCE_UNAVAILABLE: "calls.outcome.unavailable",
  STOPPED: "calls.outcome.stopped",
  UNKNOWN_METHOD: "calls.outcome.method",
  UNKNOWN_TOOL: "calls.outcome.tool",
};

export function outcomeWord(outcome: string): string {
  const key = Object.hasOwn(WORDS, outcome) ? WORDS[outcome] : undefined;
  return key ? t(key) : outcome;
}

export function stateWord({ state, outcome }: Told): string {
  return outcome === null ? t(`calls.state.${state}`) : outcomeWord(outcome);
}

/** A mark beside the word and the colour: colour alone says nothing to many. */
const MARKS: Readonly<Record<string, readonly [mark: string, tone: Tone]>> = {
  waiting: ["◌", "warn"],
  running: ["▶", "busy"],
  ended: ["·", "quiet"],
  ok: ["✓", "good"],
  CANCELLED: ["⊘", "quiet"],
  STOPPED: ["⊘", "quiet"],
};
const FAILED: readonly [string, Tone] = ["✕", "bad"];

export function OutcomeMark({ call }: { call: Told & Pick<CallRow, "cached"> }): VNode {
  const [mark, tone] = MARKS[call.outcome ?? call.state] ?? FAILED;
  return html`<span class="call-outcome" data-tone=${tone}>
    <span class="call-mark" aria-hidden="true">${mark}</span>
    <span class="ellipsis">${stateWord(call)}</span>
    ${call.cached && html`<span class="call-cached">${t("calls.cached")}</span>`}
  </span>`;
}

const TICK_MS = 250;

/** The page's own clock, as of the last tick: one timer moves all times in the list, and only while a call is under way. */
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

/** How long a call has been under way. */
export function Elapsed({ began }: { began: number }): VNode {
  const now = useStore(ticks);
  return html`<span>${span(Math.max(0, now - began))}</span>`;
}

const ALREADY_ENDED = 409;

/** Ends a call that should not go on: its caller and its server are told. */
export function CancelButton(props: {
  call: Pick<CallRow, "id" | "node" | "tool">;
  done?: (() => void) | undefined;
  class?: string | undefined;
  tabindex?: number | undefined;
}): VNode {
  const { tool } = props.call;
  const id = callKey(props.call);
  const [busy, setBusy] = useState(false);
  const cancel = async (): Promise<void> => {
    setBusy(true);
    try {
      await rest.cancelCall({ id });
      toast(t("calls.cancel.done", { id, tool }));
    } catch (cause) {
      sayWhy(toProblem(cause), id);
    }
    setBusy(false);
    props.done?.();
  };
  return html`<button
    type="button"
    class=${props.class ?? "button danger"}
    tabindex=${props.tabindex}
    disabled=${busy}
    aria-busy=${busy}
    aria-label=${t("calls.cancel.label", { id, tool })}
    onClick=${cancel}
  >${t("calls.cancel")}</button>`;
}

/** One that ended in the meantime is no failure: what was wanted is so. */
function sayWhy(problem: Problem, id: number | string): void {
  if (problem.status === ALREADY_ENDED) toast(t("calls.cancel.late", { id }));
  else toast(problem.message, "bad");
}
