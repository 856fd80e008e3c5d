/** What came of a call: whether it went well, whose failure it was if not, what was answered, and how long it took. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { rpcErrorOf, type ToolResult } from "../../kit/call-tool.ts";
import { CopyButton } from "../../kit/copy.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge, ProblemBox } from "../../kit/parts.ts";
import type { Problem } from "../../kit/problem.ts";
import { t } from "../../kit/words.ts";
import { PartView } from "./answer-part.ts";
import { partsOf } from "./answer-parts.ts";

export type Outcome = { readonly ms: number } & (
  | { readonly kind: "answered"; readonly result: ToolResult }
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "cancelled" }
);

export function AnswerView({ outcome, server }: { outcome: Outcome; server: string }): VNode {
  return html`<div class="stack">
    <div class="row" role="status">
      <${Verdict} outcome=${outcome} />
      <span class="muted">${t("tools.answer.took", { time: span(outcome.ms) })}</span>
    </div>
    ${outcome.kind === "answered" && html`<${Answered} result=${outcome.result} server=${server} />`}
    ${outcome.kind === "failed" && html`<${Failed} problem=${outcome.problem} />`}
  </div>`;
}

function Verdict({ outcome }: { outcome: Outcome }): VNode {
  if (outcome.kind === "cancelled") return html`<${Badge} tone="warn">${t("tools.answer.cancelled")}</${Badge}>`;
  if (outcome.kind === "failed") return html`<${Badge} tone="bad">${t("tools.answer.hubFailed")}</${Badge}>`;
  if (outcome.result.isError === true) return html`<${Badge} tone="bad">${t("tools.answer.toolFailed")}</${Badge}>`;
  return html`<${Badge} tone="good">${t("tools.answer.good")}</${Badge}>`;
}

function Answered({ result, server }: { result: ToolResult; server: string }): VNode {
  const parts = useMemo(() => partsOf(result), [result]);
  const raw = useMemo(() => JSON.stringify(result, null, 2), [result]);
  return html`
    ${result.isError === true && html`<p>${t("tools.answer.toolFailedText")}</p>`}
    ${parts.length === 0 && html`<p class="muted">${t("tools.answer.empty")}</p>`}
    ${parts.map((part, at) => html`<${PartView} key=${at} part=${part} server=${server} />`)}
    <details class="raw">
      <summary>${t("tools.answer.raw")}</summary>
      <${CopyButton} text=${raw} />
      <pre tabindex="0" role="region" aria-label=${t("tools.answer.raw")}>${raw}</pre>
    </details>
  `;
}

/** The hub's own words; what it knows of the delivery says whether it is safe to try again. */
function Failed({ problem }: { problem: Problem }): VNode {
  const data = rpcErrorOf(problem)?.data as { code?: unknown; delivery?: unknown } | undefined;
  const code = problem.body.code ?? data?.code;
  const delivery = data?.delivery === "unknown" ? t("tools.answer.mayHaveRun") : undefined;
  return html`
    <${ProblemBox} problem=${problem} />
    ${typeof code === "string" && html`<p class="muted"><code>${code}</code></p>`}
    ${delivery !== undefined && html`<p>${delivery}</p>`}
  `;
}
