/** What there is to say of one call, as names and values. */
import type { VNode } from "preact";
import type { CallDetail } from "../../../doors/live/views.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { number, span } from "../../kit/format.ts";
import { type Children, html } from "../../kit/html.ts";
import { linkTo } from "../../kit/router.ts";
import { t } from "../../kit/words.ts";
import { startTime } from "./start-time.ts";

const TOOL_CALL = "tools/call";

type Fact = readonly [name: ConsoleKey, value: Children];

export function Facts({ call, totalMs }: { call: CallDetail; totalMs: number }): VNode {
  const facts: readonly Fact[] = [
    ["calls.column.tool", toolOf(call)],
    ["calls.column.source", call.source],
    ["calls.fact.method", html`<code>${call.method}</code>`],
    ["calls.column.door", call.door],
    ["calls.column.principal", call.principal],
    ["calls.column.class", t(`calls.class.${call.priority}`)],
    ["calls.fact.language", call.language],
    ["calls.column.start", startTime(call.startedUtc)],
    ["calls.column.wait", span(call.state === "waiting" ? totalMs : call.queuedMs)],
    ["calls.column.time", span(totalMs)],
    ["calls.fact.deadline", deadlineOf(call, totalMs)],
    ["calls.fact.attempts", number(call.attempts)],
    ...answerOf(call),
  ];
  return html`<dl class="call-facts">
    ${facts.map(([name, value]) => html`<div key=${name}><dt>${t(name)}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** One that was stopped on its way to the server has none. */
function answerOf({ cached, attempts }: CallDetail): readonly Fact[] {
  if (cached) return [["calls.fact.cache", t("calls.fact.cache.yes")]];
  return attempts === 0 ? [] : [["calls.fact.cache", t("calls.fact.cache.no")]];
}

function toolOf({ method, source, tool }: CallDetail): Children {
  return method === TOOL_CALL ? html`<a href=${linkTo("tools", source, tool)}>${tool}</a>` : tool;
}

function deadlineOf({ deadlineMs }: CallDetail, totalMs: number): string {
  const share = deadlineMs > 0 ? Math.min(1, totalMs / deadlineMs) : 1;
  return t("calls.fact.deadline.used", {
    deadline: span(deadlineMs),
    percent: number(share * 100, share < 0.01 ? 2 : 0),
  });
}
