/** What became of a call, in a word and a mark: colour alone says nothing to many. */
import type { VNode } from "preact";
import type { CallRow } from "../../../doors/live/views.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { html } from "../../kit/html.ts";
import type { Tone } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";

type Told = Pick<CallRow, "state" | "outcome">;

/** A code that is not here is shown as it is. */
const WORDS: Readonly<Record<string, ConsoleKey>> = {
  ok: "calls.outcome.ok",
  "tool-failed": "calls.outcome.toolFailed",
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
