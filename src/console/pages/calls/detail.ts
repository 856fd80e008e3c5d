/** One call in front of the list: what it was, how it went step by step, and with which arguments. */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CallDetail } from "../../../doors/live/views.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { rest } from "../../kit/api.ts";
import { Snippet } from "../../kit/copy.ts";
import { Dialog } from "../../kit/dialog.ts";
import { number, span, startTime } from "../../kit/format.ts";
import { type Children, html } from "../../kit/html.ts";
import { calls } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { type Loaded, useLoad } from "../../kit/use-load.ts";
import { useTitlePart } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { CancelButton, callKey, OutcomeMark, ticks, useTicks } from "./call-parts.ts";
import { Way } from "./way.ts";

const REFRESH_MS = 1_000;
const NOT_FOUND = 404;

export function CallDialog({ id, close }: { id: string; close: () => void }): VNode {
  const { value, problem, reload } = useCall(id);
  const title = t("calls.one.title", { id });
  const isMissing = problem?.status === NOT_FOUND;
  useTitlePart(title);
  return html`<${Dialog} title=${title} close=${close}>
    <div class="call-detail">
      ${isMissing && html`<${Empty} title=${problem.message}><p>${t("calls.one.gone")}</p></${Empty}>`}
      ${problem && !isMissing && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
      ${value && html`<${Told} key=${id} call=${value} />`}
      ${!value && !problem && html`<${Progress} label=${t("nav.loading")} />`}
    </div>
  </${Dialog}>`;
}

/** Asked for again while it is under way, and once more when it has ended. */
function useCall(id: string): Loaded<CallDetail> {
  const [round, setRound] = useState(0);
  const hasEnded = useStore(calls, ({ ended }) => ended.some((row) => String(callKey(row)) === id));
  const loaded = useLoad((signal) => rest.getCall({ id }, signal), [id, round, hasEnded]);
  const value = loaded.value && isMeant(loaded.value, id) ? loaded.value : undefined;
  const isUnderWay = value !== undefined && value.state !== "ended";
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => setRound((before) => before + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  return { ...loaded, value };
}

/** A number alone is a call of the node that was asked. */
function isMeant(call: CallDetail, id: string): boolean {
  return String(callKey(call)) === id || String(call.id) === id;
}

function Told({ call }: { call: CallDetail }): VNode {
  const isUnderWay = call.state !== "ended";
  useTicks(isUnderWay);
  const now = useStore(ticks);
  const began = useMemo(() => performance.now() - call.ms, [call]);
  const totalMs = isUnderWay ? Math.max(call.ms, now - began) : call.ms;
  return html`<${Headline} call=${call} />
    <${Facts} call=${call} totalMs=${totalMs} />
    <section>
      <h3>${t("calls.way.title")}</h3>
      <${Way} call=${call} totalMs=${totalMs} />
    </section>
    <section>
      <h3>${t("calls.arguments.title")}</h3>
      <p class="muted">${t(call.argsKept ? "calls.arguments.redacted" : "calls.arguments.none")}</p>
      ${call.argsKept && html`<${Snippet} label=${t("calls.arguments.title")} text=${JSON.stringify(call.args, null, 2)} />`}
    </section>`;
}

/** The code too: it is what the caller was told. The button goes with the call's end, and the focus to what it came to. */
function Headline({ call }: { call: CallDetail }): VNode {
  const outcome = useRef<HTMLElement>(null);
  const isCode = call.outcome !== null && /^[A-Z_]+$/.test(call.outcome);
  return html`<div class="call-headline">
    <span ref=${outcome} role="status" tabindex="-1">
      <${OutcomeMark} call=${call} /> ${isCode && html`<code>${call.outcome}</code>`}
    </span>
    ${call.state !== "ended" && html`<${CancelButton} call=${call} done=${() => outcome.current?.focus()} />`}
  </div>`;
}

const TOOL_CALL = "tools/call";

type Fact = readonly [name: ConsoleKey, value: Children];

/** What there is to say of one call, as names and values. */
function Facts({ call, totalMs }: { call: CallDetail; totalMs: number }): VNode {
  const facts: readonly Fact[] = [
    ["calls.column.tool", toolOf(call)],
    ["calls.column.source", call.source],
    ["calls.fact.method", html`<code>${call.method}</code>`],
    ["calls.column.door", call.door],
    ...(call.node === undefined ? [] : ([["calls.fact.node", call.node]] as const)),
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

/** Whether the answer came from the cache; nothing for a call that never reached its server. */
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
